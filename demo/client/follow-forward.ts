/** An order is read frequently. This fails if it ever goes back: without a reorg a status and a transaction hash only move forward. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderRecord } from './api-client.ts'

/** An order that completes has these statuses, in the order of progress. */
export const progress: readonly string[] = [
  'created',
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'redeem_detected',
  'redeemed',
  'counterparty_redeemed',
]

const hashes = (order: OrderRecord) =>
  [order.source_swap, order.destination_swap].flatMap((swap) => [swap.initiate_tx_hash, swap.redeem_tx_hash])

type Limits = { readonly limitMs: number; readonly pollMs: number }

export async function followForward(read: () => Promise<OrderRecord>, { limitMs, pollMs }: Limits): Promise<OrderRecord> {
  const end = Date.now() + limitMs
  let last = await read()
  while (last.status !== progress.at(-1)) {
    await sleep(pollMs)
    const next = await read()
    const isCleared = hashes(last).some((hash, index) => hash !== '' && hashes(next)[index] === '')
    if (isCleared || progress.indexOf(next.status) < progress.indexOf(last.status))
      throw new Error(`the order went from ${last.status} back to ${next.status}: ${hashes(last)} → ${hashes(next)}`)
    if (Date.now() > end) throw new Error(`the order is still ${next.status}`)
    last = next
  }
  return last
}
