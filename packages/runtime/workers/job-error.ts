/** Errors go from a worker thread to the caller as data, because structured clones lose the class and the code of a `TandemError`. */
import { type ErrorCode, TandemError } from '@tandem/protocol/error.ts'

export type PlainError = { readonly code: ErrorCode | null; readonly message: string; readonly stack: string | null }

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { code: null, message: String(error), stack: null }
  return { code: error instanceof TandemError ? error.code : null, message: error.message, stack: error.stack ?? null }
}

export function fromPlainError({ code, message, stack }: PlainError): Error {
  const error = code === null ? new Error(message) : new TandemError(code, message)
  if (stack !== null) error.stack = stack
  return error
}
