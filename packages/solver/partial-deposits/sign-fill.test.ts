/** Tests which fills a solver signs. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import type { FreshPoll, FreshPolls } from '@tandem/party/engine/chain-watcher.ts'
import { reconcile } from '@tandem/party/engine/reconciler.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { readAction } from '@tandem/party/store/actions/actions.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { commitTo } from '@tandem/party/store/solver/commitments.ts'
import { NOW, sightingsOf, storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { fillSignature } from '@tandem/service/testing/fake-chain.fixture.ts'
import { describe, expect, test, vi } from 'vitest'
import { acceptOrder } from '../orders.ts'
import { caller, fillFor, freshSolver, orderRequest, type TestSolver, wbtc } from '../solver.fixture.ts'
import { signFill } from './sign-fill.ts'

const store = sharedStore()
const solver = freshSolver(store)

const find = (id: string) => storedOrder(store.db, id)
async function agree(changes: Parameters<typeof orderRequest>[0] = {}): Promise<Order> {
  const request = orderRequest(changes)
  await acceptOrder(solver.context, request, caller)
  return (await find(request.order_id)).order
}
const watch = async () => {
  for (const client of [solver.bitcoin, solver.ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
async function fund({ source }: Order, amount = source.terms.amount, id?: string): Promise<void> {
  await watch()
  const event = sightingsOf(source.swapId).initiated(amount)
  solver.bitcoin.mine(id === undefined ? event : { ...event, tx: id, deposit: id })
  await watch()
}
const isWanted = async (order: Order) => {
  await reconcile({ db: store.db, registry: solver.context.registry, party: { role: 'solver' } }, NOW)
  return (await readAction(store.db, actionKey(order.id, 'destination', 'initiate')))?.wanted ?? false
}

test('the solver pays only after it has signed the fill', async () => {
  const order = await agree()
  await fund(order)
  expect(await isWanted(order)).toBe(false)
  const { answer, signature } = await fillFor(solver, order)
  expect(answer).toBe('signed')
  const { fill } = await find(order.id)
  expect(fill).toMatchObject({ deposits: [`deposit of ${order.source.swapId}`], destinationAmount: 980_000n, signature })
  expect(signature).toBe(fill && fillSignature(order.source.terms, order.id, fill))
  expect(await isWanted(order)).toBe(true)
})

test('a deposit that was mined after the last poll is signed for at once: the solver polls again', async () => {
  const order = await agree()
  const polls = new Map([solver.bitcoin, solver.ethereum].map((client) => [client.chain.id, lazyPolls(client)]))
  for (const { fresh } of polls.values()) await fresh(0)
  solver.bitcoin.mine(sightingsOf(order.source.swapId).initiated(order.source.terms.amount))
  expect(await fillFor({ ...solver, context: { ...solver.context, polls } }, order)).toMatchObject({ answer: 'signed' })
})

/** Like a watcher, this serves the last poll to everyone who accepts its age. */
function lazyPolls(client: TestSolver['bitcoin']): FreshPolls {
  let last: FreshPoll | null = null
  return {
    tookMs: 0,
    seen: () => [],
    async fresh(maxAgeMs) {
      if (maxAgeMs > 0 && last !== null) return last
      const beganAtMs = performance.now()
      await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined, onCurrent: (tip) => (last = { tip, beganAtMs }) })
      return last
    },
  }
}

test('states order, leg and terms as the purpose of the signature', async () => {
  const order = await agree()
  await fund(order)
  const { partialDeposits } = solver.bitcoin
  if (partialDeposits === undefined) throw new Error('the simulated chain has partial deposits')
  const signing = vi.spyOn(partialDeposits, 'signFill')
  await fillFor(solver, order)
  const { chain, terms } = order.source
  const purposes = signing.mock.calls.map(([, , , signer]) => signer.purpose)
  expect(purposes).toEqual([orderPurpose(chain, { order: order.id, leg: 'source', verb: 'fill', terms })])
  signing.mockRestore()
})

test('the deposited amount decides how much the solver pays, into an HTLC of that amount', async () => {
  const ask = async (amount: string) => {
    const order = await agree()
    await fund(order, 970_000n)
    const deposits = [`deposit of ${order.source.swapId}`]
    return { order, ...(await signFill(solver.context, order.id, { deposits, block_hash: 'b', destination_amount: amount }, caller)) }
  }
  for (const wrong of ['980000', '950601', '950599'])
    await expect(ask(wrong)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('is not what these deposits') })
  const { order, answer } = await ask('950600')
  expect(answer).toBe('signed')
  const { destination } = (await find(order.id)).order
  expect(destination.terms.amount).toBe(950_600n)
  expect(destination.agreedAmount).toBe(980_000n)
  expect(destination.swapId).toBe(solver.ethereum.swapId(destination.terms))
  expect(destination.swapId).not.toBe(order.destination.swapId)
  expect(await isWanted(order)).toBe(true)
})

test('after a reorg the same deposits are signed again for their new block', async () => {
  const order = await agree()
  await fund(order)
  await fillFor(solver, order)
  const request = { deposits: [`deposit of ${order.source.swapId}`], block_hash: 'after a reorg', destination_amount: '980000' }
  const { signature } = await signFill(solver.context, order.id, request, caller)
  const fill = { deposits: request.deposits, blockHash: request.block_hash, destinationAmount: 980_000n }
  expect(signature).toBe(fillSignature(order.source.terms, order.id, fill))
})

test('when inventory suffices for one of two orders, the first to ask gets the signature', async () => {
  solver.hold(wbtc, 1_500_000n)
  // What an owner's unfunded order holds is free for the owner's next order.
  const owner = 'a'.repeat(64)
  const [first, second] = [await agree({ owner }), await agree({ owner })]
  await fund(first)
  await fund(second)
  expect(await fillFor(solver, second)).toMatchObject({ answer: 'signed' })
  expect(await fillFor(solver, first)).toMatchObject({ answer: 'wait' })
})

test('a repeated request gets the same signature, and one for other deposits is declined', async () => {
  const order = await agree()
  await fund(order)
  await fund(order, order.source.terms.amount, 'second')
  const first = await fillFor(solver, order)
  expect(await fillFor(solver, order)).toEqual(first)
  expect(await fillFor(solver, order, ['second'])).toMatchObject({ answer: 'declined', signature: null })
  expect((await find(order.id)).fill?.deposits).toEqual([`deposit of ${order.source.swapId}`])
})

test('of two concurrent requests for different deposits, one is signed', async () => {
  const order = await agree()
  await fund(order)
  await fund(order, order.source.terms.amount, 'second')
  const answers = await Promise.all([fillFor(solver, order), fillFor(solver, order, ['second'])])
  expect(answers.map(({ answer }) => answer).toSorted()).toEqual(['declined', 'signed'])
})

describe('it waits', () => {
  test('for deposits that it does not see yet', async () => {
    const order = await agree()
    await watch()
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'wait', signature: null })
    expect((await find(order.id)).fill).toBeNull()
  })

  test('while its inventory is too small', async () => {
    const order = await agree()
    await fund(order)
    solver.hold(wbtc, 979_999n)
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'wait' })
    solver.hold(wbtc, 980_000n)
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'signed' })
  })
})

describe('it declines', () => {
  test('deposits for which it has signed a refund', async () => {
    const order = await agree()
    await fund(order)
    await commitTo(store.db, order.id, 'refund_signed')
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'declined' })
    expect((await find(order.id)).fill).toBeNull()
  })

  test.each([
    ['mined after the price expired', NOW - 1000n, 60_700n, 'declined'],
    ['mined after the price expired', NOW - 1000n, 60_500n, 'signed'],
    ['mined in time', NOW + 1000n, 61_300n, 'declined'],
    ['mined in time', NOW + 1000n, 61_200n, 'signed'],
  ])("a price that has moved further than the solver's own limit, for a deposit %s (%s, %s)", async (_, expiresAt, dollars, answer) => {
    const order = await agree()
    await store.db.updateTable('orders').set({ price_expires_at: expiresAt, slippage_bips: 500 }).execute()
    await fund(order)
    solver.world.bitcoinDollars = dollars
    expect(await fillFor(solver, order)).toMatchObject({ answer })
  })

  test('a fill that is asked for long after the quote expired, though the deposit was in time', async () => {
    const order = await agree()
    await store.db
      .updateTable('orders')
      .set({ price_expires_at: NOW + 50n })
      .execute()
    await fund(order)
    solver.world.bitcoinDollars = 61_000n
    solver.world.now = NOW + 57n
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'declined', reason: expect.stringContaining('price has moved') })
  })

  test('for good: it reserves nothing for a declined order, and never signs it later', async () => {
    const order = await agree()
    await fund(order)
    const bitcoinDollars = solver.world.bitcoinDollars
    solver.world.bitcoinDollars = 62_000n
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'declined' })
    solver.world.bitcoinDollars = bitcoinDollars
    await fund(order, order.source.terms.amount, 'second')
    expect(await solver.context.inventory.available(wbtc)).toBe(10_000_000n)
    expect(await fillFor(solver, order, ['second'])).toMatchObject({ answer: 'declined' })
  })

  test('only after the price is over, if there is no price', async () => {
    const order = await agree()
    await fund(order)
    solver.world.bitcoinDollars = 0n
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'wait', reason: 'there is no price at the moment' })
    await store.db
      .updateTable('orders')
      .set({ price_expires_at: NOW - 1n })
      .execute()
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'declined' })
  })
})

describe('it refuses', () => {
  test('an unknown order', async () => {
    await expect(
      signFill(solver.context, '0'.repeat(64), { deposits: ['a'], block_hash: 'b', destination_amount: '1' }, caller),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test('unknown deposits while a chain does not answer', async () => {
    const order = await agree()
    await watch()
    solver.bitcoin.mine(sightingsOf(order.source.swapId).initiated(order.source.terms.amount))
    solver.bitcoin.before.tip = () => {
      throw new ChainFailure('unreachable', 'silent')
    }
    await expect(fillFor(solver, order)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect((await find(order.id)).fill).toBeNull()
  })
})
