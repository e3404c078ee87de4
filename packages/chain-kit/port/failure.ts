/** Names the ways in which an action on a chain can fail, and how to react. */

/**
 * uneconomic    its fee exceeds its value now: try later
 * unreachable   the node did not answer: retry
 * would-fail    the chain would refuse it now (reverted, not final, insufficient funds): try later, alert the operator
 * superseded    someone else's transaction already did or prevented it: read the chain again
 */
export type ChainFailureKind = 'uneconomic' | 'unreachable' | 'would-fail' | 'superseded'

type ChainFailureOptions = ErrorOptions & {
  readonly revertedTx?: string
  readonly expiredTx?: string
  readonly refusal?: string
  readonly retryAfterMs?: number
  readonly isExpected?: true
}

/** The recipient of the payout, or the token, does not allow the payout. */
export function payoutRefused(message: string): ChainFailure {
  return new ChainFailure('would-fail', message, { refusal: message })
}

export class ChainFailure extends Error {
  readonly kind: ChainFailureKind
  /** This earlier transaction of the action was mined and reverted. */
  readonly revertedTx: string | null
  /** This earlier transaction of the action expired unmined, and cannot be signed again without the user. */
  readonly expiredTx: string | null
  /** The user gets this reason, if the user caused the failure. */
  readonly refusal: string | null
  /** A retry before this time is pointless. Null means the usual backoff. */
  readonly retryAfterMs: number | null
  /** The action waits for something that is under way. This is no failure: it must not make the backoff of a later one longer. */
  readonly isExpected: boolean

  constructor(kind: ChainFailureKind, message: string, options: ChainFailureOptions = {}) {
    super(message, options)
    this.name = 'ChainFailure'
    this.kind = kind
    this.revertedTx = options.revertedTx ?? null
    this.expiredTx = options.expiredTx ?? null
    this.refusal = options.refusal ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isExpected = options.isExpected ?? false
  }
}
