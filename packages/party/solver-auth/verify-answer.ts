/** Verifies that an answer comes from the right solver and belongs to this request. */
import type { IncomingHttpHeaders } from 'node:http'
import { ANSWER_COMPONENTS, answerBase, contentDigest, parseInput, parseSignature } from './message-signature.ts'
import type { VerifyingKey } from './signing-key.ts'

export type AnswerToVerify = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  readonly requestSignature: string
}

export function answerProblem(key: VerifyingKey, { status, headers, body, requestSignature }: AnswerToVerify): string | null {
  const { signature: signatureHeader, 'signature-input': inputHeader, 'content-digest': digest } = headers
  if (typeof signatureHeader !== 'string' || typeof inputHeader !== 'string') return 'is not signed'
  const input = parseInput(inputHeader, ANSWER_COMPONENTS)
  const signature = parseSignature(signatureHeader)
  if (input === null || signature === null) return 'has a signature that is not in the form of the protocol'
  if (input.keyid !== key.publicKey) return `is signed by the key ${input.keyid}, expected ${key.publicKey}`
  if (digest !== contentDigest(body)) return 'has a content-digest that does not match its body'
  if (!key.verify(answerBase({ status, contentDigest: digest, requestSignature }, input.text), signature))
    return 'has a wrong signature, or the signature of an answer to another request'
  return null
}
