/** Tests several redeems of one redeemer in one transaction: the contract skips what is not open. */

import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import { createMemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, expect, it } from 'vitest'
import { isRedeemBatch } from '../../terms/htlc.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createEvmClient } from '../index.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { readAttempt } from './transaction.ts'

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let items: readonly RedeemItem[]

function itemOf(symbol = 'eth', over: Partial<HtlcTerms> = {}): RedeemItem {
  const secret = createSecret()
  return { terms: termsFor(secret, symbol, over), deposits: [], secret }
}

async function fund(...some: readonly RedeemItem[]): Promise<void> {
  for (const [index, { terms }] of some.entries()) await client.initiate(terms, outbox.open(`initiate ${index} ${terms.secretHash}`))
  await fixture.mine()
}

beforeEach(async () => {
  items = [itemOf(), itemOf(), itemOf()]
  await fund(...items)
})

const redeem = (some = items, key = 'batch') => batch().redeem(some, outbox.open(key))
function batch(of = client) {
  if (of.batchRedeem === undefined) throw new Error('expected the ability')
  return of.batchRedeem
}
const phases = () => Promise.all(items.map(({ terms }) => phaseOf(terms)))
const callOf = (key = 'batch') => outbox.attempts(key).map((attempt) => readAttempt(attempt).call)

it('pays the redeemer once, for less gas than single redeems', async () => {
  const tx = await redeem()
  await fixture.mine()
  expect(await phases()).toEqual(['redeemed', 'redeemed', 'redeemed'])
  const receipt = (await fixture.local.request({ method: 'eth_getTransactionReceipt', params: [tx] })) as { gasUsed: string }
  expect(Number(receipt.gasUsed)).toBeLessThan(3 * 36_000)
})

it('of one redeem is a plain redeem', async () => {
  await redeem(items.slice(0, 1))
  expect(callOf().map(({ data }) => isRedeemBatch(data))).toEqual([false])
  await fixture.mine()
})

it('shows no secret to a node before it is recorded', async () => {
  const seen: string[] = []
  const watching: EvmNode = {
    ...node,
    call: (call: NodeCall) => node.call(note(call)),
    estimateGas: (call: NodeCall) => node.estimateGas(note(call)),
  }
  const note = (call: NodeCall) => {
    seen.push(call.data ?? '')
    return call
  }
  const options = { assets: fixture.assets, endpoints: { rpc: [fixture.local.rpcUrl] } }
  const dying = outbox.open('batch', { fault: 'dies-after-recording' })
  await expect(batch(createEvmClient(fixture.chain, options, watching)).redeem(items, dying)).rejects.toThrow(OutboxFailure)
  expect(seen.length).toBeGreaterThan(0)
  for (const { secret } of items) expect(seen.join()).not.toContain(secret)
  expect(outbox.attempts('batch')).toHaveLength(1)
  await redeem()
  await fixture.mine()
  expect(await phases()).toEqual(['redeemed', 'redeemed', 'redeemed'])
})

it('knows which cannot be redeemed', async () => {
  const absent = itemOf()
  await redeem(items.slice(0, 1), 'single')
  await fixture.mine()
  expect(await batch().areRedeemable([...items, absent])).toEqual([false, true, true, false])
})

it('that was mined and skipped one is not the end of that one', async () => {
  const late = itemOf()
  await redeem([...items, late])
  await fixture.mine()
  expect(await phaseOf(late.terms)).toBe('waiting')
  await fund(late)
  await redeem([late])
  await fixture.mine()
  expect(await phaseOf(late.terms)).toBe('redeemed')
  expect(outbox.attempts('batch')).toHaveLength(2)
})

it('is done when all are redeemed', async () => {
  const tx = await redeem()
  await fixture.mine()
  expect(await redeem()).toBe(tx)
  expect(await redeem(items.slice(1))).toBe(tx)
  expect(outbox.attempts('batch')).toHaveLength(1)
})

it('has one asset and one redeemer', async () => {
  await expect(redeem([...items, itemOf('usdc')])).rejects.toThrow('one asset')
  await expect(redeem([...items, itemOf('eth', { redeemer: `0x${'12'.repeat(20)}` })])).rejects.toThrow('one asset')
  expect(outbox.attempts('batch')).toEqual([])
})

it('with a wrong secret is not sent', async () => {
  const wrong = { ...itemOf(), secret: createSecret() }
  await expect(redeem([...items, wrong])).rejects.toMatchObject({ kind: 'would-fail' })
  expect(outbox.attempts('batch')).toEqual([])
})
