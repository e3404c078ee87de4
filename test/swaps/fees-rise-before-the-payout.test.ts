/** Tests that the recipient gets what was quoted although fees rise. */
import { type Behaviour, startTestNode } from '@tandem/bitcoin/server/nodes/test-node.fixture.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, expect, test, vi } from 'vitest'
import { openStory } from './story.ts'

const BITCOIN = 'bitcoin_regtest:btc'
const WRAPPED = 'ethereum_localnet:wbtc'
const AMOUNT = 1_000_000n

/** The rise is less than ten times, which is followed at once, but far above what a quote allows for. */
const HIGH_BTC_PER_KVB = 0.00018

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }))
const node = opened(() => startTestNode(story.bitcoinChain().rpcUrl))
beforeAll(() => story.restart('service', ({ chains }) => Object.assign(chains.bitcoin_regtest, { endpoints: { rpc: [node.url] } })))

/** The node sees a full mempool. */
const expensive: Behaviour = async (question, ask) => {
  if (!question.body.includes('estimatesmartfee')) return ask(question)
  const asked: unknown = JSON.parse(question.body)
  const calls = (Array.isArray(asked) ? asked : [asked]) as readonly { readonly id: unknown; readonly method: string }[]
  if (calls.some(({ method }) => method !== 'estimatesmartfee')) throw new Error('an estimate in a batch with other calls')
  const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: { feerate: HIGH_BTC_PER_KVB, blocks: 3 } }))
  return { status: 200, body: JSON.stringify(Array.isArray(asked) ? answers : answers[0]) }
}

test('the recipient gets what the quote promised, and the service pays the remainder of the fee', async () => {
  const quote = () => story.api.quote({ from: WRAPPED, to: BITCOIN, from_amount: AMOUNT.toString() })
  const { net_amount: promised = '0', network_fee: fee = '0' } = await quote()
  const before = await story.balance(BITCOIN)
  const created = await story.order(WRAPPED, BITCOIN, AMOUNT)
  node.behave(expensive)
  await vi.waitUntil(async () => (await quote()).network_fee !== fee, { timeout: 150_000, interval: 200 })
  await story.evm('ethereum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap.network_fee).toBe(fee)
  const received = (await story.balance(BITCOIN)) - before
  expect(received).toBe(BigInt(done.destination_swap.amount) - BigInt(fee))
  expect(received).toBeGreaterThanOrEqual(BigInt(promised))
  const answer = await fetch(`${story.bitcoinChain().esploraUrl}/tx/${done.destination_swap.redeem_tx_hash}`)
  const paid = (await answer.json()) as { readonly fee: number }
  expect(paid.fee).toBeGreaterThan(Number(fee))
})
