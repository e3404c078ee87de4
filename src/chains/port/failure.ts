/** How an action on a chain can fail, and what to do about each. */

/**
 * uneconomic    it is not worth its fee at the moment
 * unreachable   the node did not answer: try again
 * would-fail    the chain would refuse it now (reverted, not final, insufficient funds): try later, tell the operator
 * superseded    someone else's transaction already did or prevented it: look at the chain again
 */
export type ChainFailureKind = 'uneconomic' | 'unreachable' | 'would-fail' | 'superseded'

type ChainFailureOptions = ErrorOptions & {
  readonly revertedTx?: string
  readonly refusal?: string
  readonly retryAfterMs?: number
}

export class ChainFailure extends Error {
  readonly kind: ChainFailureKind
  /** What was sent for the action before, is in a block, and failed there. */
  readonly revertedTx: string | null
  /** Why, in words for the user whose doing it is. */
  readonly refusal: string | null
  /** Before then nothing would come of trying again; null: as soon as usual. */
  readonly retryAfterMs: number | null

  constructor(kind: ChainFailureKind, message: string, options: ChainFailureOptions = {}) {
    super(message, options)
    this.name = 'ChainFailure'
    this.kind = kind
    this.revertedTx = options.revertedTx ?? null
    this.refusal = options.refusal ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
