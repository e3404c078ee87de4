/** How soon to pay again for a transaction that failed on the chain, although it passes every trial. */
import { ChainFailure } from '../../port/failure.ts'

/** Once is bad luck: something changed before it was mined. */
const FREE_REVERTS = 1
const FIRST_PAUSE_SECONDS = 300n
const PAUSE_FACTOR = 4n
/** Never given up: whoever is paid late is not paid wrongly. */
const LONGEST_PAUSE_SECONDS = 7n * 86_400n

type Reverted = { readonly tx: string; readonly at: bigint }

/** From 5 minutes to a week: six in the first day, and so few after that the one who makes them fail pays more for waiting than we for trying. */
export function pauseSeconds(reverts: number): bigint {
  if (reverts <= FREE_REVERTS) return 0n
  const pause = FIRST_PAUSE_SECONDS * PAUSE_FACTOR ** BigInt(Math.min(reverts - FREE_REVERTS - 1, 10))
  return pause < LONGEST_PAUSE_SECONDS ? pause : LONGEST_PAUSE_SECONDS
}

/** Throws while it is too soon. `reverted`: what failed for this action, in any sequence. */
export function assertPatience(what: string, reverted: readonly Reverted[], now: bigint): void {
  const last = reverted.toSorted((a, b) => Number(a.at - b.at)).at(-1)
  if (last === undefined) return
  const next = last.at + pauseSeconds(reverted.length)
  if (now >= next) return
  const failed = `${what}: ${reverted.length} transactions failed on the chain, the last one ${last.tx}`
  const when = new Date(Number(next) * 1000).toISOString()
  throw new ChainFailure('would-fail', `${failed}; the next is not paid for before ${when}`, {
    revertedTx: last.tx,
    refusal: `${failed}; we try again after ${when}, and anyone may call the contract before`,
    retryAfterMs: Number(next - now) * 1000,
  })
}
