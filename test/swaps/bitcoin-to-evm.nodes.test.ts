// The same story as bitcoin-to-evm, with a real bitcoind in the place of the simulator.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithNode } from '../nodes/describe-with-node.ts'
import { startRealChain } from '../nodes/real-chain.ts'
import { openStoryOn } from './story.ts'

await describeWithNode('bitcoind', 'bitcoin to evm on a real node', () => {
  let story: Awaited<ReturnType<typeof openStoryOn>>
  let chain: Awaited<ReturnType<typeof startRealBitcoin>>
  beforeAll(async () => {
    chain = await startRealBitcoin()
    story = await openStoryOn(chain)
  })
  afterAll(() => story.close())

  test('bitcoin becomes wrapped bitcoin by a plain deposit', async () => {
    const before = await story.balance('ethereum_localnet:wbtc')
    const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)

    const txid = await chain.faucet(created.to ?? '', 1_000_000n)
    await story.untilStatus(created.order_id, 'initiate_detected')
    await chain.mine(1)
    const paid = await story.until(created.order_id, 'the redeem', (order) => order.destination_swap.redeem_tx_hash !== '')
    expect(paid.source_swap.initiate_tx_hash).toMatch(new RegExp(`^${txid}:[0-9]+$`))
    expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(paid.destination_swap.amount))

    await story.until(created.order_id, 'the solver to redeem', (order) => order.source_swap.redeem_tx_hash !== '')
    await chain.mine(1)
    await story.untilStatus(created.order_id, 'counterparty_redeemed')
  })

  test('a deposit that nobody fills comes back after the timelock', async () => {
    const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
    await story.stack.solver.setRunning(false)
    await chain.faucet(created.to ?? '', 1_000_000n)
    await chain.mine(1)
    await story.untilStatus(created.order_id, 'initiated')

    await chain.mine(200)
    await story.until(created.order_id, 'the refund', (order) => order.source_swap.refund_tx_hash !== '')
    await chain.mine(1)
    const refunded = await story.untilStatus(created.order_id, 'refunded')
    expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  })
})

async function startRealBitcoin() {
  const { node, pay, mine, close } = await startRealChain('bitcoind')
  return { rpcUrl: node.rpcUrl, esploraUrl: null, faucet: pay, mine, close }
}
