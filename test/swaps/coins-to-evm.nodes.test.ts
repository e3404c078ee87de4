// The stories of a deposit and of a refund, with a real node in the place of each simulated chain of coins.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithNode } from '../nodes/describe-with-node.ts'
import { type RealChain, startRealChain } from '../nodes/real-chain.ts'
import { openStoryOn } from './story.ts'

const setups = [
  { node: 'bitcoind', chain: 'bitcoin_regtest', asset: 'bitcoin_regtest:btc', amount: 1_000_000n },
  { node: 'litecoind', chain: 'litecoin_regtest', asset: 'litecoin_regtest:ltc', amount: 500_000_000n },
] as const

for (const { node, chain: id, asset, amount } of setups) {
  await describeWithNode(node, `${asset} to evm on a real node`, () => {
    let story: Awaited<ReturnType<typeof openStoryOn>>
    let chain: RealChain
    beforeAll(async () => {
      chain = await startRealChain(node)
      story = await openStoryOn({
        [id]: { rpcUrl: chain.node.rpcUrl, esploraUrl: null, faucet: chain.pay, mine: chain.mine, close: chain.close },
      })
    })
    afterAll(() => story?.close())

    test('coins become wrapped bitcoin by a plain deposit', async () => {
      const before = await story.balance('ethereum_localnet:wbtc')
      const created = await story.order(asset, 'ethereum_localnet:wbtc', amount)

      const txid = await chain.pay(created.to ?? '', amount)
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
      const created = await story.order(asset, 'ethereum_localnet:wbtc', amount)
      await story.stack.solver.setRunning(false)
      await chain.pay(created.to ?? '', amount)
      await chain.mine(1)
      await story.untilStatus(created.order_id, 'initiated')

      await chain.mine(200)
      await story.until(created.order_id, 'the refund', (order) => order.source_swap.refund_tx_hash !== '')
      await chain.mine(1)
      const refunded = await story.untilStatus(created.order_id, 'refunded')
      expect(refunded.destination_swap.initiate_tx_hash).toBe('')
    })
  })
}
