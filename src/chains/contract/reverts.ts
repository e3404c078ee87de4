/** Limits what we pay for after transactions reverted although their simulation passed. */
import { relayLimits } from '../../protocol/relay-limits.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'

/** The first revert has no backoff: the state may have changed before it was mined. */
const FREE_REVERTS = 1
const FIRST_BACKOFF_SECONDS = 300n
const BACKOFF_FACTOR = 4n
/** We never give up: a late payout is still owed. */
const LONGEST_BACKOFF_SECONDS = 7n * 86_400n

export type Reverted = { readonly tx: string; readonly at: bigint }

/** The reverted transactions of one action, oldest first. */
export type Reverts<S extends Reverted> = {
  readonly all: readonly S[]
  /** Without those that ran out of gas or energy. */
  readonly byOthers: readonly S[]
  /** Those that ran out at our highest limit. */
  readonly atFeeCap: readonly S[]
}

/** From 5 minutes to a week: six tries on the first day. An attacker who makes them revert loses more by waiting than we lose by trying. */
export function backoffSeconds(reverts: number): bigint {
  if (reverts <= FREE_REVERTS) return 0n
  const backoff = FIRST_BACKOFF_SECONDS * BACKOFF_FACTOR ** BigInt(Math.min(reverts - FREE_REVERTS - 1, 10))
  return backoff < LONGEST_BACKOFF_SECONDS ? backoff : LONGEST_BACKOFF_SECONDS
}

export function assertBackoffOver(what: string, reverted: readonly Reverted[], now: bigint): void {
  const last = reverted.toSorted((a, b) => Number(a.at - b.at)).at(-1)
  if (last === undefined) return
  const next = last.at + backoffSeconds(reverted.length)
  if (now >= next) return
  const failed = `${what}: ${reverted.length} transactions failed on the chain, the last one ${last.tx}`
  const when = new Date(Number(next) * 1000).toISOString()
  throw new ChainFailure('would-fail', `${failed}; the next is not paid for before ${when}`, {
    revertedTx: last.tx,
    refusal: `${failed}; we try again after ${when}, and anyone may call the contract before`,
    retryAfterMs: Number(next - now) * 1000,
  })
}

/** An initiator who withdraws the allowance while a relay is unmined, or whose contract account changes its answer, makes it revert at our expense. */
export function assertRelayPaidFor(revertsPaidFor: number = relayLimits.reverted, { revertedRelays = 0 }: Outbox, reverts: number): void {
  const failed = Math.max(reverts, revertedRelays)
  if (failed < revertsPaidFor) return
  const refusal = `${failed} relayed transactions for this initiator failed on the chain, and no more are paid for`
  throw new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal })
}

/** Adds the last reverted attempt to the failure, so that callers do not wait for it. */
export function namingReverted(reverted: Reverted | undefined, error: unknown): unknown {
  if (reverted === undefined || !(error instanceof ChainFailure) || error.kind !== 'would-fail') return error
  if (error.revertedTx !== null) return error
  return new ChainFailure(error.kind, `${error.message}; ${reverted.tx} is mined and reverted`, {
    cause: error,
    revertedTx: reverted.tx,
    ...(error.refusal !== null && { refusal: error.refusal }),
  })
}
