/** What the API asks of an engine, because only an engine opens the user's key: to sign the instant refunds of one order with the solver. */
import { boolean, nullable, shape, text } from '@tandem/party/store/database/columns.ts'
import type { QuestionKind } from '../engine-questions/question-kind.ts'

export type RefundWish = {
  readonly orderId: string
  /** The refund address when the caller was checked. If it has changed since, nothing is signed. */
  readonly from: string | null
  /** The caller may have the money refunded to this address. */
  readonly to: string
  /** Only the holder of the order token may cancel an order that may still complete. */
  readonly isTokenHolder: boolean
}

/** Resolves when the signed refunds are stored, or if there was nothing left to sign. Rejects with an error that the caller may see. */
export type SignRefunds = (wish: RefundWish) => Promise<void>

export const refundWishes: QuestionKind<RefundWish, null> = {
  name: 'sign instant refunds',
  asked: shape<RefundWish>({ orderId: text, from: nullable(text), to: text, isTokenHolder: boolean }),
  answered: () => null,
  subjectOf: ({ orderId }) => orderId,
  unanswered: (seconds) => `no engine signed the refund within ${seconds} s; it may still be signed, and repeating this call joins it`,
}
