/** Tests several engines of a party on one database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { type PartyProcess, startPartyProcess } from './party-process.ts'
import { openStory } from './story.ts'

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet'] }))
const processes: PartyProcess[] = []
beforeAll(async () => {
  const { serviceFile, solverFile } = story.stack.configs
  processes.push(await startPartyProcess(['start'], serviceFile), await startPartyProcess(['solver'], solverFile))
})
afterAll(async () => {
  for (const second of processes) await second.stop()
})

test('two engines of each party on one database: every action is done once', async () => {
  const wallet = story.evm('ethereum_localnet')
  const asset = 'ethereum_localnet:wbtc'
  await story.approve(asset)

  const gasless = await Promise.all([1, 2, 3].map(() => story.order(asset, 'bitcoin_regtest:btc', 1_000_000n)))
  await Promise.all(gasless.map(async (order) => story.api.initiate(order.order_id, await wallet.signTypedData(order.typed_data ?? {}))))
  const deposits = [
    await story.order('bitcoin_regtest:btc', 'arbitrum_localnet:usdc', 1_000_000n),
    await story.order('bitcoin_regtest:btc', 'arbitrum_localnet:eth', 1_000_000n),
  ]
  for (const order of deposits) await story.bitcoin().pay(order.to ?? '', 1_000_000n)

  for (const { order_id } of [...gasless, ...deposits]) {
    await story.untilStatus(order_id, 'counterparty_redeemed')
    const done = [...(await story.signed('service', order_id)), ...(await story.signed('solver', order_id))]
    // The first ERC-20 payment of a solver is preceded by its approval; everything else is one transaction.
    for (const [action, transactions] of done)
      expect(transactions.length, action).toBeLessThanOrEqual(action === 'initiate destination' ? 2 : 1)
  }
})

test('an instant refund races two solver engines that would pay: the solver signs one of the two, never both', async () => {
  const orders = await Promise.all(
    Array.from({ length: 8 }, () => story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)),
  )
  const asking: Promise<void>[] = []
  for (const [index, order] of orders.entries()) {
    await story.bitcoin().pay(order.to ?? '', 1_000_000n)
    asking.push(askUntilItEnds(order, index))
  }
  await Promise.all(asking)

  for (const { order_id } of orders) {
    const ended = await story.untilStatus(order_id, 'counterparty_redeemed', 'refunded')
    const isRefundedInstantly = ended.source_swap.instant_refund_tx !== undefined
    const isPaid = (await story.signed('solver', order_id)).has('initiate destination')
    expect({ status: ended.status, isRefundedInstantly, isPaid }).toEqual(
      isPaid
        ? { status: 'counterparty_redeemed', isRefundedInstantly: false, isPaid: true }
        : { status: 'refunded', isRefundedInstantly: true, isPaid: false },
    )
    expect(await story.secretSigned(order_id)).toBe(isPaid)
    expect(ended.destination_swap.initiate_tx_hash !== '').toBe(isPaid)
  }
})

/** An instant refund is requested again and again until the order has ended. */
async function askUntilItEnds({ order_id, order_token }: CreatedOrder, index: number): Promise<void> {
  // Half of the requests come only after the solver has signed the fill.
  if (index % 2 === 1) {
    await story.eventually('the solver to sign the fill', () => story.isFillSigned(order_id))
    await sleep(index * 60)
  }
  const path = `/orders/${order_id}?action=instant-refund`
  await story.eventually('the order to end', async () => {
    const answer = await story.api.call('PATCH', path, { signatures: [], order_token }).then(
      () => 'refunded instantly',
      (error: { code: string }) => error.code,
    )
    expect(['refunded instantly', 'conflict', 'chain_unavailable']).toContain(answer)
    return answer === 'refunded instantly' || (await story.api.order(order_id)).status === 'counterparty_redeemed'
  })
}
