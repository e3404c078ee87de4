/** Tests that no order is made for an address that cannot receive. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { createPayoutTrial } from '../solvers/payment-watch.ts'
import { alice, aliceScript, bob, btc, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'
import { createRecipients, type RecipientLimits } from './recipients.ts'

const LIMITS: RecipientLimits = { timeoutMs: 20, maxOpenPerChain: 2, keepMs: 60_000 }
const MISSING = 'the account does not exist yet'

const service = sharedService()
afterEach(() => service.reset())

function withAccounts(chain: string, checkRecipient: NonNullable<ChainClient['checkRecipient']>) {
  const fake = service.chains.get(chain)
  if (fake === undefined) throw new Error(`no ${chain}`)
  return Object.assign(fake, { checkRecipient })
}

describe('POST /orders', () => {
  const post = (body: unknown) => service.call('POST', '/v2/orders', { body })
  /** Each test has its own owners, because answers are cached. */
  const bodyFor = (sourceOwner: string, destinationOwner: string) => {
    const { source, destination } = orderBody(btc, wbtc)
    return { source: { ...source, owner: sourceOwner }, destination: { ...destination, owner: destinationOwner } }
  }

  test.each([
    { field: 'destination.owner', chain: 'ethereum_localnet', asset: wbtc, address: bob },
    { field: 'source.owner', chain: 'bitcoin_regtest', asset: btc, address: aliceScript },
  ])('refuses a $field that cannot receive, before a solver is asked', async ({ field, chain, asset, address }) => {
    withAccounts(chain, async () => MISSING)
    const before = await service.countRows()
    const { status, body: answer } = await post(orderBody(btc, wbtc))
    expect(status).toBe(400)
    expect(answer).toMatchObject({
      status: 'Error',
      code: 'invalid_address',
      error: `${field}: ${address} cannot receive ${asset}: ${MISSING}`,
    })
    expect(await service.countRows()).toEqual(before)
    expect([...service.solver.ordered, ...service.secondSolver.ordered]).toEqual([])
  })

  test('asks for the address and the asset of each leg', async () => {
    const asked: string[][] = []
    const ask = async (address: string, asset: string) => {
      asked.push([address, asset])
      return null
    }
    withAccounts('bitcoin_regtest', ask)
    withAccounts('ethereum_localnet', ask)
    const [source, destination] = ['fake1carolaaaaa', `0x${'c0'.repeat(20)}`] as const
    expect((await post(bodyFor(source, destination))).status).toBe(200)
    expect(asked.toSorted()).toEqual(
      [
        [source, btc],
        [destination, wbtc],
      ].toSorted(),
    )
  })

  test('refuses a recipient whose payouts failed too often, and is strict with the recipients of an app with many failures', async () => {
    const trusted: (boolean | undefined)[] = []
    withAccounts('ethereum_localnet', async (_address, _asset, payout) => {
      trusted.push(payout?.isTrusted)
      return null
    })
    const postTo = (owner: string) => post(bodyFor('fake1eveaaaaaaa', owner))
    const fail = async (owner: string, weight: number) => {
      const { order_id: orderId } = (await postTo(owner)).body.result as { order_id: string }
      await sql`select note_failed_payout(${orderId}, ${weight})`.execute(service.db)
    }
    const [hostile, honest] = [`0x${'e0'.repeat(20)}`, `0x${'e1'.repeat(20)}`]
    for (let times = 0; times < 2; times += 1) await fail(hostile, 3)
    await expect
      .poll(() => postTo(hostile), { timeout: 60_000 })
      .toMatchObject({
        status: 409,
        body: { code: 'conflict', error: expect.stringContaining(`destination.owner: too many payouts to ${hostile} failed`) },
      })
    expect((await postTo(honest)).status).toBe(200)
    expect(trusted.at(-1)).toBe(false)
  })

  test('makes no order while the chain does not answer', async () => {
    withAccounts('ethereum_localnet', () => Promise.reject(new ChainFailure('unreachable', 'http://node/key is silent')))
    const { status, body } = await post(bodyFor('fake1daveaaaaaa', `0x${'d0'.repeat(20)}`))
    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'chain_unavailable', error: 'a chain could not be reached; try again' })
  })
})

describe('a check', () => {
  const clientWith = (checkRecipient: NonNullable<ChainClient['checkRecipient']>) => withAccounts('ethereum_localnet', checkRecipient)
  const recipient = (address: string) => ({ address, asset: 'ethereum_localnet:wbtc', field: 'destination.owner', payout: null }) as const

  test('is over after the time limit', async () => {
    const check = createRecipients(LIMITS).assertCanReceive(
      clientWith(() => new Promise(() => undefined)),
      recipient(bob),
    )
    await expect(check).rejects.toMatchObject({ code: 'chain_unavailable', message: expect.stringContaining('did not say in time') })
  })

  test('is not sent to a chain that has too many open, even if nobody waits for those any more', async () => {
    const answers: (() => void)[] = []
    const client = clientWith(() => new Promise((resolve) => answers.push(() => resolve(null))))
    const recipients = createRecipients(LIMITS)
    for (const address of ['0x1', '0x2'])
      await expect(recipients.assertCanReceive(client, recipient(address))).rejects.toThrow('did not say in time')
    await expect(recipients.assertCanReceive(client, recipient('0x3'))).rejects.toMatchObject({
      code: 'chain_unavailable',
      message: expect.stringContaining('too many'),
    })
    expect(answers).toHaveLength(2)
    for (const answer of answers) answer()
    await new Promise(setImmediate)
    const third = recipients.assertCanReceive(client, recipient('0x3'))
    answers[2]?.()
    await third
  })

  test('of the same recipient costs one question for a while, whatever the answer; a failure is asked again', async () => {
    let asked = 0
    const answers = [Promise.reject(new ChainFailure('unreachable', 'silent')), Promise.resolve(MISSING), Promise.resolve(null)]
    const client = clientWith(async () => (await answers[asked++]) ?? null)
    const recipients = createRecipients(LIMITS)
    await expect(recipients.assertCanReceive(client, recipient(alice))).rejects.toThrow('silent')
    for (let repeat = 0; repeat < 3; repeat++)
      await expect(recipients.assertCanReceive(client, recipient(alice))).rejects.toMatchObject({ code: 'invalid_address' })
    for (let repeat = 0; repeat < 3; repeat++) await recipients.assertCanReceive(client, recipient(bob))
    expect(asked).toBe(3)
  })
})

test("the service's own trial of a payout says why it fails, and counts it towards the limits of the recipient", async () => {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  const stored = await storedOrder(service.db, (body.result as { order_id: string }).order_id)
  const asked: unknown[] = []
  const failures = () => service.db.selectFrom('failed_payouts').select('weight').where('order_id', '=', stored.order.id).execute()
  const tryPayout = createPayoutTrial({ db: service.db, clients: service.chains })
  expect([await tryPayout(stored.order), await failures()]).toEqual([null, []])
  withAccounts('ethereum_localnet', async (...question) => {
    asked.push(question)
    return MISSING
  })
  expect([await tryPayout(stored.order), await failures()]).toEqual([MISSING, [{ weight: 1 }]])
  const { redeemer, initiator, amount } = stored.order.destination.terms
  expect(asked).toEqual([[redeemer, wbtc, { amount, payer: initiator, isTrusted: true }]])
})
