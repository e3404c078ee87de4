/** How an action on a chain can fail, and how to react. */

/**
 * uneconomic    its fee exceeds its value now: try later
 * unreachable   the node did not answer: retry
 * would-fail    the chain would refuse it now (reverted, not final, insufficient funds): try later, tell the operator
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

/** A payout that its recipient, or the token, does not allow. */
export function payoutRefused(message: string): ChainFailure {
  return new ChainFailure('would-fail', message, { refusal: message })
}

export class ChainFailure extends Error {
  readonly kind: ChainFailureKind
  /** An earlier transaction of this action that was mined and reverted. */
  readonly revertedTx: string | null
  /** An earlier transaction of this action that expired unmined, and cannot be signed again without the user. */
  readonly expiredTx: string | null
  /** The reason for the user, if the user caused it. */
  readonly refusal: string | null
  /** A retry before then is pointless; null: the usual backoff. */
  readonly retryAfterMs: number | null
  /** A wait that belongs to this action, for something on its way. It is no failure: it must not make the backoff of a later one longer. */
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
