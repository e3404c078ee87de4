/** The two ways in which a provider fails: it answers with an error (`Refusal`), or it does not answer (`unreachable`). */
import { ChainFailure } from '../port/failure.ts'

/** The provider answered with an error. It is not suspended for that; the caller decides what the error means. */
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
