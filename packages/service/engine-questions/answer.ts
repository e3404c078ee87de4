/** An answer has the result, or an error that the caller of the API may see. */
import { type Column, nullable, number, oneOf, shape, text } from '@tandem/party/store/database/columns.ts'
import { type ErrorCode, errorStatus } from '@tandem/protocol/error.ts'

export type AnswerError = { readonly code: ErrorCode; readonly message: string; readonly retryAfterSeconds: number | null }

export type Answer = { readonly error: AnswerError | null; readonly result: unknown }

const code = oneOf(Object.keys(errorStatus) as readonly ErrorCode[])

export const answer: Column<Answer> = shape<Answer>({
  error: nullable(shape<AnswerError>({ code, message: text, retryAfterSeconds: nullable(number) })),
  result: (value) => value,
})
