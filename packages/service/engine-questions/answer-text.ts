/** How an answer of any length becomes parts that each fit into a signal, and a text again. */
import type { AnswerPart } from './sealed-signals.ts'

/** Base64 needs no escapes in JSON, so this is also the number of bytes. */
const PIECE_LENGTH = 6_000

export function splitAnswer(questionId: string, answerId: string, text: string): readonly AnswerPart[] {
  const encoded = Buffer.from(text).toString('base64')
  const parts = Math.ceil(encoded.length / PIECE_LENGTH)
  return Array.from({ length: parts }, (_, part) => {
    const piece = encoded.slice(part * PIECE_LENGTH, (part + 1) * PIECE_LENGTH)
    return { questionId, answerId, part, parts, piece }
  })
}

/** Returns the text once all parts of one answer came, in any order and any number of times, and null before. */
export function joinAnswer(): (part: AnswerPart) => string | null {
  const answers = new Map<string, Map<number, string>>()
  return ({ answerId, part, parts, piece }) => {
    const pieces = answers.get(answerId) ?? new Map<number, string>()
    answers.set(answerId, pieces.set(part, piece))
    if (pieces.size < parts) return null
    return Buffer.from(Array.from({ length: parts }, (_, place) => pieces.get(place) ?? '').join(''), 'base64').toString()
  }
}
