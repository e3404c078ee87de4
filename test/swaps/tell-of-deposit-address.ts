/** Tests orders that are paid by plain transfers to a deposit address, by somebody who is no party of them, as an exchange is. */
import { expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import type { Story } from './story.ts'

export type Deposited = {
  readonly asset: string
  readonly destination: string
  readonly amount: bigint
  /** An account that has `balanceOf` zero, and signs nothing: refunds and returns go to it. */
  freshOwner(): Promise<string>
  /** A plain transfer from an account that the service does not know. */
  pay(to: string, amount: bigint): Promise<unknown>
  balanceOf(owner: string): Promise<bigint>
}

export async function orderWithAddress(story: Story, { asset, destination, amount }: Deposited, owner: string) {
  const source = { asset, owner, amount: amount.toString() }
  const created: CreatedOrder = await story.order(asset, destination, amount, { source, deposit: 'address' })
  if (created.to === undefined) throw new Error('POST /orders returned no deposit address')
  expect(created.amount).toBe(amount.toString())
  return { id: created.order_id, to: created.to, kept: created.refund_package ?? {} }
}

const arrived = (story: Story, id: string, amount: bigint) =>
  story.until(id, `${amount} to be at the address`, ({ source_swap: source }) => source.deposit_amount === amount.toString())

export function tellOfDeposit(story: Story, deposited: Deposited): void {
  const { asset, destination, amount, freshOwner, pay, balanceOf } = deposited
  const [part, surplus] = [amount / 3n, amount / 10n]

  test(`${asset}: two transfers fund the order; the surplus and a second payment come back`, async () => {
    const [owner, before] = [await freshOwner(), await story.balance(destination)]
    const { id, to, kept } = await orderWithAddress(story, deposited, owner)
    await pay(to, part)
    expect(await arrived(story, id, part)).toMatchObject({
      status: 'initiate_detected',
      next_action: { who: 'user', what: 'complete_source_deposit' },
    })
    await pay(to, amount - part + surplus)
    const done = await story.untilStatus(id, 'counterparty_redeemed')
    expect(done.source_swap).toMatchObject({ filled_amount: amount.toString(), deposit_address: to, initiator: kept.initiator })
    expect(await story.balance(destination)).toBeGreaterThan(before)
    await story.eventually('the surplus to come back', async () => (await balanceOf(owner)) === surplus)
    await pay(to, amount)
    await story.eventually('the second payment to come back', async () => (await balanceOf(owner)) === surplus + amount)
    expect((await story.signed('service', id)).get('initiate source')).toHaveLength(1)
    await arrived(story, id, 0n)
  })
}

/** This comes last: the chains are then past the deadlines of all orders that were made before. */
export function tellOfReturns(story: Story, all: readonly Deposited[], passDeadline: () => Promise<void>): void {
  test('too little, and the amount after the deadline, come back, and nobody locks anything', async () => {
    const made = await Promise.all(
      all.map(async (deposited) => {
        const [poor, slow] = [await deposited.freshOwner(), await deposited.freshOwner()]
        const little = { ...(await orderWithAddress(story, deposited, poor)), owner: poor }
        return { deposited, little, late: { ...(await orderWithAddress(story, deposited, slow)), owner: slow } }
      }),
    )
    for (const { deposited, little } of made) await deposited.pay(little.to, deposited.amount - 1n)
    for (const { deposited, little } of made) await arrived(story, little.id, deposited.amount - 1n)
    await passDeadline()
    for (const { deposited, late } of made) await deposited.pay(late.to, deposited.amount)
    for (const { deposited, little, late } of made) {
      const { amount, balanceOf, asset } = deposited
      await story.eventually(`too little of ${asset} to come back`, async () => (await balanceOf(little.owner)) === amount - 1n)
      await story.eventually(`the late amount of ${asset} to come back`, async () => (await balanceOf(late.owner)) === amount)
      for (const { id } of [little, late]) {
        expect(await story.until(id, 'nothing to be left', ({ next_action: next }) => next === null)).toMatchObject({
          status: 'expired',
          source_swap: { filled_amount: '0', deposit_amount: '0', initiate_tx_hash: '' },
        })
        expect((await story.signed('service', id)).has('initiate source')).toBe(false)
        expect(await story.signed('solver', id)).toEqual(new Map())
      }
    }
  })
}
