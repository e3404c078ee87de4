/** Tests that the client itself asks for no signature that its keys refuse, and that they are asked at all. */

import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { createKeyring } from '@tandem/keys/keyring.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { orderPurpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toEvmAddress } from '../terms/address.ts'
import { createTronFixture } from './tron.fixture.ts'

const WBTC: AssetId = 'tron_localnet:wbtc'
const fixture = opened(createTronFixture)
let client: ReturnType<typeof fixture.connect>
let outbox: ReturnType<typeof createMemoryOutbox>
beforeAll(() => {
  client = fixture.connect()
  outbox = createMemoryOutbox(createKeyring([createSecp256k1Key(fixture.solver.key)]).of(client))
})
afterAll(() => client.close())

const secret = createSecret()
const termsOf = (over: Partial<HtlcTerms> = {}): HtlcTerms => ({
  asset: WBTC,
  amount: 1_000n,
  timelock: 600n,
  initiator: fixture.solver.address,
  redeemer: fixture.user.address,
  secretHash: hashSecret(secret),
  ...over,
})
const paid = (more: Partial<HtlcTerms> = {}) =>
  termsOf({ initiator: fixture.user.address, redeemer: fixture.solver.address, secretHash: hashSecret(createSecret()), ...more })

const openFor = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint) => {
  const action = { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) } as const
  return outbox.open(`${verb} ${client.swapId(terms)}`, { purpose: orderPurpose(fixture.chain.id, action) })
}

const spendOf = (terms: HtlcTerms) => ({ deposits: [{ id: client.swapId(terms), amount: terms.amount }], to: null })

async function mined(tx: string | null | undefined): Promise<string | undefined> {
  await fixture.local.mine()
  return tx ? (await fixture.user.wallet.trx.getUnconfirmedTransactionInfo(tx)).receipt?.result : undefined
}

test('a lock with its approval, and a redeem with gas for the recipient', async () => {
  const terms = termsOf()
  const initiate = () => client.initiate(terms, openFor('initiate', terms))
  await expect(client.initiate(terms, openFor('redeem', terms))).rejects.toThrow(SigningRefused)
  expect([await mined(await initiate()), await mined(await initiate())]).toEqual(['SUCCESS', 'SUCCESS'])
  const redeem = (gas: bigint) => client.redeem(terms, { ...spendOf(terms), secret, gas }, openFor('redeem', terms, 5n))
  await expect(redeem(6n)).rejects.toThrow(SigningRefused)
  expect(await mined(await redeem(5n))).toBe('SUCCESS')
})

test('a refund after the timelock', async () => {
  const terms = termsOf({ secretHash: hashSecret(createSecret()) })
  expect(await mined(await client.initiate(terms, openFor('initiate', terms)))).toBe('SUCCESS')
  await fixture.local.passSeconds(601)
  expect(await mined(await client.refund(terms, spendOf(terms), openFor('refund', terms)))).toBe('SUCCESS')
})

test('an instant refund, with its consent', async () => {
  const { instantRefund } = client
  if (instantRefund === undefined) throw new Error('there are no instant refunds')
  const terms = paid()
  const funding = await client.funding({ terms, deadline: 2n ** 40n, payer: null, approval: 'exact' })
  if (funding.kind !== 'calls') throw new Error('expected calls')
  for (const call of [funding.approval, funding.initiate]) {
    if (call !== null) await fixture.sendAs(fixture.user, call)
    await fixture.local.mine()
  }
  const refunding = openFor('instant-refund', terms)
  const refunds = await instantRefund.propose(terms, { ...spendOf(terms), to: terms.initiator }, 'apart')
  const consent = await instantRefund.sign(terms, refunds, refunding.signer)
  await expect(instantRefund.sign(terms, refunds, openFor('redeem', terms).signer)).rejects.toThrow(SigningRefused)
  const signed = await instantRefund.combine(terms, refunds, { initiator: [], redeemer: consent })
  expect(await mined(await instantRefund.send(terms, signed, refunding))).toBe('SUCCESS')
})

test('a lock from a deposit address, and a return of what came later', async () => {
  const { prefund } = client
  if (prefund?.addressOf === undefined || prefund.reclaim === undefined) throw new Error('there are no deposit addresses')
  const terms = paid()
  const swap = { terms, deadline: (await client.tip()).time + 300n, payer: null }
  const pay = async () => {
    const args = [toEvmAddress(prefund.addressOf?.(swap) ?? ''), terms.amount] as const
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args })
    await fixture.sendAs(fixture.user, { to: fixture.contracts.tokens.wbtc, data })
    await fixture.local.mine()
  }
  await pay()
  expect(await mined(await prefund.initiate(swap, openFor('relay', terms)))).toBe('SUCCESS')
  await pay()
  await fixture.local.passSeconds(301)
  expect(await mined(await prefund.reclaim(swap, openFor('reclaim', terms)))).toBe('SUCCESS')
})

test('a transfer of inventory', async () => {
  const { transfer } = client
  if (transfer === undefined) throw new Error('there are no transfers')
  const request = { asset: WBTC, recipient: fixture.user.address, amount: 5n }
  const purpose = { kind: 'withdraw', chain: fixture.chain.id, ...request } as const
  const open = () => outbox.open('withdraw', { purpose })
  await expect(transfer.send({ ...request, amount: 6n }, open())).rejects.toThrow(SigningRefused)
  expect(await mined(await transfer.send(request, open()))).toBe('SUCCESS')
})
