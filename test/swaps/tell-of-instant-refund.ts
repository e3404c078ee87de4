/** A deposit to a contract that the solver does not pay for comes back before its timelock: by itself if the solver declines, or on request. */
import { expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import type { Story } from './story.ts'

export type InstantRefundStory = {
  /** The user pays this, and it is given back by the contract. */
  readonly asset: string
  readonly destination: string
  readonly amount: bigint
  /** The user's own transaction may cost this, in units of the asset. */
  readonly maxGas: bigint
  fund(order: CreatedOrder): Promise<unknown>
}

export function tellOfInstantRefund(story: Story, { asset, destination, amount, maxGas, fund }: InstantRefundStory): void {
  /** The solver reads its prices when it starts. */
  const tradeAt = (change: (usd: number) => number) =>
    story.restart('solver', ({ prices }) => {
      prices[asset] = String(change(Number(prices[asset])))
    })
  /** The service may wait a while before it asks a solver again that did not answer. */
  async function tradeAsBefore(): Promise<void> {
    await tradeAt((usd) => usd * 2)
    const request = { from: asset, to: destination, from_amount: amount.toString() }
    await story.eventually('a quote', () =>
      story.api.quote(request).then(
        () => true,
        () => false,
      ),
    )
  }
  const takeBack = ({ order_id, order_token }: CreatedOrder, body: object = { signatures: [], order_token }) =>
    story.api.call('PATCH', `/orders/${order_id}?action=instant-refund`, body) as Promise<string>

  test('the price falls before the deposit: the solver declines, and the user has the money back at once, without a call', async () => {
    const created = await story.order(asset, destination, amount)
    await tradeAt((usd) => usd / 2)
    try {
      const before = await story.balance(asset)
      await fund(created)
      const refunded = await story.untilStatus(created.order_id, 'refunded')
      expect(refunded.destination_swap.initiate_tx_hash).toBe('')
      const spent = before - (await story.balance(asset))
      expect(spent).toBeGreaterThanOrEqual(0n)
      expect(spent).toBeLessThanOrEqual(maxGas)
      // The service sent it, by the consent of the solver, which sent nothing.
      const tx = refunded.source_swap.refund_tx_hash
      expect(await story.signed('service', created.order_id)).toEqual(new Map([['refund source', [tx]]]))
      expect(await story.signed('solver', created.order_id)).toEqual(new Map())
      // A call finds the same refund, also that of a stranger, who cannot cause another one.
      expect(await takeBack(created)).toBe(tx)
      expect(await takeBack(created, { signatures: [] })).toBe(tx)
      expect(await story.signed('service', created.order_id)).toEqual(new Map([['refund source', [tx]]]))
    } finally {
      await tradeAsBefore()
    }
  })

  test('the solver is away: only the holder of the order token may ask, and gets the money back when the solver answers', async () => {
    const created = await story.order(asset, destination, amount)
    const before = await story.balance(asset)
    await story.stack.solver.setRunning(false)
    try {
      await fund(created)
      await story.untilStatus(created.order_id, 'initiated')
      await expect(takeBack(created, { signatures: [] })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(takeBack(created, { signatures: [], order_token: 'x'.repeat(43) })).rejects.toMatchObject({ code: 'forbidden' })
      const foreign = { signatures: ['00'], order_token: created.order_token }
      await expect(takeBack(created, foreign)).rejects.toMatchObject({ code: 'bad_request' })
      expect(await story.signed('service', created.order_id)).toEqual(new Map())
      await tradeAt((usd) => usd / 2)
      let tx = ''
      await story.eventually('the consent of the solver', async () => {
        tx = await takeBack(created).catch(() => '')
        return tx !== ''
      })
      const refunded = await story.untilStatus(created.order_id, 'refunded')
      expect(refunded.source_swap.refund_tx_hash).toBe(tx)
      expect(before - (await story.balance(asset))).toBeLessThanOrEqual(maxGas)
    } finally {
      await tradeAsBefore()
    }
    // The price is as it was, but the solver consented, so it never pays for this order.
    expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  })

  test('a deposit that the solver has paid for cannot be taken back', async () => {
    const created = await story.order(asset, destination, amount)
    await fund(created)
    await story.untilSigned('solver', created.order_id, 'initiate destination')
    await expect(takeBack(created)).rejects.toMatchObject({ code: 'conflict' })
    const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
    expect(done.source_swap.refund_tx_hash).toBe('')
    await expect(takeBack(created)).rejects.toMatchObject({ code: 'conflict' })
  })
}
