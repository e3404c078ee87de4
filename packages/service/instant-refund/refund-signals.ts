/**
 * The messages by which a process of the API asks an engine of the same database to sign instant refunds, and gets its answer. They are
 * signals, which may be lost: the API repeats its question, and its wait has an end.
 */
import { boolean, nullable, number, oneOf, shape, text } from '@tandem/party/store/database/columns.ts'
import type { Sealer } from '@tandem/party/store/orders/sealed-values.ts'
import { type ErrorCode, errorStatus } from '@tandem/protocol/error.ts'
import type { RefundWish } from './refund-wish.ts'

const ASKED = 'sign refunds '
const ANSWERED = 'signed refunds '

/** `seal` shows that a holder of the seal key asks: everyone who can connect to the database can send signals. */
export type Question = RefundWish & { readonly id: string; readonly untilMs: number; readonly seal: string }
/** The error is one that the caller of the API may see. Null says that the refunds are signed and stored. */
export type Answer = {
  readonly id: string
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly retryAfterSeconds: number | null } | null
}

const question = shape<Question>({
  id: text,
  untilMs: number,
  orderId: text,
  from: nullable(text),
  to: text,
  isTokenHolder: boolean,
  seal: text,
})

const code = oneOf(Object.keys(errorStatus) as readonly ErrorCode[])
const answer = shape<Answer>({ id: text, error: nullable(shape({ code, message: text, retryAfterSeconds: nullable(number) })) })

export function sealOf(
  sealer: Pick<Sealer, 'authenticate'>,
  { id, untilMs, orderId, from, to, isTokenHolder }: Omit<Question, 'seal'>,
): string {
  return sealer.authenticate(JSON.stringify(['sign instant refunds', id, untilMs, orderId, from, to, isTokenHolder]))
}

export const writeQuestion = (asked: Question): string => `${ASKED}${JSON.stringify(asked)}`
export const writeAnswer = (answered: Answer): string => `${ANSWERED}${JSON.stringify(answered)}`

export const readQuestion = (signal: string): Question | null => read(signal, ASKED, question)
export const readAnswer = (signal: string): Answer | null => read(signal, ANSWERED, answer)

/** Null for other signals, and for those that another version made. */
function read<T>(signal: string, prefix: string, parse: (value: unknown) => T): T | null {
  if (!signal.startsWith(prefix)) return null
  try {
    return parse(JSON.parse(signal.slice(prefix.length)))
  } catch {
    return null
  }
}
