/** Limits what we pay after transactions reverted although their simulation passed. */
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'

/** The first revert causes no backoff: the state may just have changed before it was mined. */
const FREE_REVERTS = 1
const FIRST_BACKOFF_SECONDS = 300n
const BACKOFF_FACTOR = 4n
/** The backoff has a maximum because we never give up: a late payout is still owed. */
const MAX_BACKOFF_SECONDS = 7n * 86_400n

/** We relay for at most five times the usual gas. A limit may be higher where data takes gas too. */
const MAX_WEIGHT = 5n

export type Reverted = { readonly tx: string; readonly at: bigint }

export type Reverts<S extends Reverted> = {
  readonly all: readonly S[]
  /** Transactions that ran out of gas or energy are left out. */
  readonly byOthers: readonly S[]
  /** These transactions ran out of gas or energy at our highest fee limit. */
  readonly atFeeCap: readonly S[]
}

/** The backoff goes from 5 minutes to a week: six tries on the first day. An attacker who makes them revert loses more by waiting than we lose by trying. */
export function backoffSeconds(reverts: number): bigint {
  if (reverts <= FREE_REVERTS) return 0n
  const backoff = FIRST_BACKOFF_SECONDS * BACKOFF_FACTOR ** BigInt(Math.min(reverts - FREE_REVERTS - 1, 10))
  return backoff < MAX_BACKOFF_SECONDS ? backoff : MAX_BACKOFF_SECONDS
}

export function assertBackoffOver(what: string, reverted: readonly Reverted[], now: bigint): void {
  const last = reverted.toSorted((a, b) => Number(a.at - b.at)).at(-1)
  if (last === undefined) return
  const next = last.at + backoffSeconds(reverted.length)
  if (now >= next) return
  const failed = `${what}: ${reverted.length} transactions reverted, the last one ${last.tx}`
  const when = new Date(Number(next) * 1000).toISOString()
  throw new ChainFailure('would-fail', `${failed}; next retry after ${when}`, {
    revertedTx: last.tx,
    refusal: `${failed}; we retry after ${when}; anyone may call the contract before then`,
    retryAfterMs: Number(next - now) * 1000,
  })
}

/** An initiator can make a relay revert at our expense: it revokes the allowance before the relay is mined, or its contract account rejects the signature then. */
export function assertRelayPaidFor(
  revertsPaidFor: number = relayLimits.byKey.reverted,
  { revertedRelays = 0 }: Outbox,
  reverts: number,
): void {
  const failed = Math.max(reverts, revertedRelays)
  if (failed < revertsPaidFor) return
  const refusal = `${failed} relayed transactions for this initiator reverted, and no more are paid for`
  throw new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal })
}

/** `gas` is the limit of a reverted relay, `usual` that of an account with one key. We round up, because the initiator chose its account. */
export function weightOf(gas: bigint, usual: bigint): number {
  const times = (gas + usual - 1n) / usual
  return Number(times < 1n ? 1n : times > MAX_WEIGHT ? MAX_WEIGHT : times)
}

/** Adds the last reverted attempt to the failure, so that callers do not wait for it. */
export function withRevertedTx(reverted: Reverted | undefined, error: unknown): unknown {
  if (reverted === undefined || !(error instanceof ChainFailure) || error.kind !== 'would-fail') return error
  if (error.revertedTx !== null) return error
  return new ChainFailure(error.kind, `${error.message}; ${reverted.tx} is mined and reverted`, {
    cause: error,
    revertedTx: reverted.tx,
    ...(error.refusal !== null && { refusal: error.refusal }),
  })
}
