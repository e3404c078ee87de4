/**
 * Which coins no transaction uses that could still be executed. Two transactions that name the same version of a coin would lock it until the end of the
 * epoch (equivocation), and the money of both. So a version that is on record is never signed for again before the epoch of its transaction is over: not by
 * another action, not by another process of the same database, not after a crash. A transaction that was executed gives its coins a new version.
 */
import type { Attempt, OthersQuery } from '@tandem/chain-kit/port/outbox.ts'
import { lastEpochOf, slotOf } from '../../terms/send/transaction.ts'
import type { Epoch, NodeCoin } from '../nodes/node.ts'

/** Between the clocks of validators and our own. */
const CLOCK_SKEW_SECONDS = 3_600n
/** An epoch lasts a day. A chain that halts makes it longer, and a local chain may be ahead of our clock. */
const LEAST_LOOKBACK_SECONDS = 2n * 86_400n

/** Finds every attempt that could be executed now and spends a version of these coins. It was signed in this epoch: its expiry is the epoch of its signature. */
export function queryFor({ startMs }: Epoch, now: bigint, coins: readonly NodeCoin[]): Required<OthersQuery> {
  const [byEpoch, byClock] = [startMs / 1000n - CLOCK_SKEW_SECONDS, now - LEAST_LOOKBACK_SECONDS]
  const since = byEpoch < byClock ? byEpoch : byClock
  const fromNonce = coins.reduce<bigint | null>((least, { version }) => (least === null || version < least ? version : least), null)
  return { since: since > 0n ? since : 0n, fromNonce: fromNonce ?? 0n }
}

/** `recorded`: of this action and of all others. */
export function freeCoins(coins: readonly NodeCoin[], { number }: Epoch, recorded: readonly Attempt[]): readonly NodeCoin[] {
  const taken = new Set(recorded.filter((attempt) => lastEpochOf(attempt) >= number).flatMap(({ slots }) => slots))
  return coins.filter(({ id, version }) => !taken.has(slotOf(id, version)))
}
