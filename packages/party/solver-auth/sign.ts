/** Signs requests and answers: returns the headers to add to the message. */
import { randomUUID } from 'node:crypto'
import {
  ANSWER_COMPONENTS,
  answerBase,
  contentDigest,
  REQUEST_COMPONENTS,
  requestBase,
  writeInput,
  writeSignature,
} from './message-signature.ts'
import type { SigningKey } from './signing-key.ts'

export type SignedHeaders = {
  readonly 'content-digest': string
  readonly 'signature-input': string
  readonly signature: string
}

export type RequestToSign = {
  readonly method: 'GET' | 'POST'
  readonly target: string
  readonly body: string
  readonly recipient: string
  readonly waitMs: number
  readonly nowMs: number
}

export function signRequest(key: SigningKey, request: RequestToSign): SignedHeaders & { readonly 'tandem-recipient': string } {
  const { recipient, waitMs, nowMs } = request
  const digest = contentDigest(request.body)
  const created = Math.floor(nowMs / 1000)
  // Rounded up, because a shorter deadline would end calls while we still wait for them.
  const expires = created + Math.ceil(waitMs / 1000)
  const input = writeInput(REQUEST_COMPONENTS, { created, expires, nonce: randomUUID(), keyid: key.publicKey })
  const signature = key.sign(requestBase({ ...request, contentDigest: digest }, input))
  return {
    'content-digest': digest,
    'tandem-recipient': recipient,
    'signature-input': `tandem=${input}`,
    signature: writeSignature(signature),
  }
}

export type AnswerToSign = {
  readonly status: number
  readonly body: string
  readonly requestSignature: string
  readonly nowMs: number
}

export function signAnswer(key: SigningKey, { status, body, requestSignature, nowMs }: AnswerToSign): SignedHeaders {
  const digest = contentDigest(body)
  const input = writeInput(ANSWER_COMPONENTS, { created: Math.floor(nowMs / 1000), keyid: key.publicKey })
  const signature = key.sign(answerBase({ status, contentDigest: digest, requestSignature }, input))
  return { 'content-digest': digest, 'signature-input': `tandem=${input}`, signature: writeSignature(signature) }
}
