/** Computes when the timelock of a deposit ends, as a time instead of a number of blocks. */
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { PinnedRegistry } from '../verify/pinned.ts'

/** In unix seconds. Blocks come faster or slower: before `earliest` no refund is possible, after `latest` it is. */
export type RefundTime = { readonly earliest: number; readonly latest: number }

/** Returns when the source can be refunded, or null while its deposit is not mined. */
export async function refundTime(
  { deadline, source_swap: { chain, timelock, initiate_timestamp: at } }: OrderRecord,
  registry?: PinnedRegistry,
): Promise<RefundTime | null> {
  if (at === null) return null
  const { chainNamed } = await import('../verify/pinned.ts')
  const { minSeconds, maxSeconds } = await import('@tandem/protocol/timelock.ts')
  const { clock } = chainNamed(chain, registry)
  if (clock.expiry === 'absolute') {
    // The timelock of a source counts from the deadline of its order.
    const ends = deadline + (clock.unit === 'milliseconds' ? Math.ceil(timelock / 1000) : timelock)
    return { earliest: ends, latest: ends + Number(clock.slackSeconds) }
  }
  const start = Math.floor(Date.parse(at) / 1000)
  return { earliest: start + Number(minSeconds(clock, BigInt(timelock))), latest: start + Number(maxSeconds(clock, BigInt(timelock))) }
}
