/** What a provider's failure means: it said no, or it did not answer. */
import { ChainFailure } from '../port/failure.ts'

/** The provider answered, and the answer is an error. Nobody suspends it for that: what it means is for the caller to tell. */
export class Refusal extends Error {
  readonly code: number
  /** As the provider sent it. */
  readonly data: unknown

  constructor(code: number, message: string, data: unknown = null) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.data = data
  }
}

export function isUnreachable(error: unknown): error is ChainFailure {
  return error instanceof ChainFailure && error.kind === 'unreachable'
}
