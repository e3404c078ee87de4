/** Every JSON answer has this envelope. */
import { type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../error.ts'

/** The payload of a success is `result`. */
export function Envelope<T extends TSchema>(result: T) {
  return Type.Object({
    status: Type.Literal('Ok', { description: 'it worked' }),
    error: Type.Null({ description: 'null: there is none' }),
    result,
  })
}

export type Success<T> = { readonly status: 'Ok'; readonly error: null; readonly result: T }
export type Failure = { readonly status: 'Error'; readonly error: string; readonly result: null; readonly code: ErrorCode }

export function success<T>(result: T): Success<T> {
  return { status: 'Ok', error: null, result }
}

export function failure(code: ErrorCode, error: string): Failure {
  return { status: 'Error', error, result: null, code }
}
