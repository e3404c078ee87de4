/**
 * Implements HTTP Message Signatures (RFC 9421) with Content-Digest (RFC 9530) as service and solver use them: one signature, named
 * `tandem`, over a fixed list of components. docs/solver-protocol.md describes the form and has an example.
 */
import { hash } from 'node:crypto'

/** A signature for another version of the protocol, or for another use of the key, is refused. */
export const TAG = 'tandem-solver-v1'

export const REQUEST_COMPONENTS = '("@method" "@path" "@query" "content-digest" "tandem-recipient")'
export const ANSWER_COMPONENTS = '("@status" "content-digest" "signature";req)'

export type RequestParts = {
  readonly method: string
  readonly target: string
  readonly contentDigest: string
  /** The public key of the only party that may use the request. */
  readonly recipient: string
}

export type AnswerParts = {
  readonly status: number
  readonly contentDigest: string
  readonly requestSignature: string
}

export type SignatureParameters = {
  /** Unix seconds. */
  readonly created: number
  readonly expires?: number
  readonly nonce?: string
  readonly keyid: string
}

/** `text` follows `tandem=` in the header `signature-input` and in the signature base. */
export type SignatureInput = SignatureParameters & { readonly text: string }

export function contentDigest(body: string | Uint8Array): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`
}

export function requestBase({ method, target, contentDigest, recipient }: RequestParts, input: string): string {
  const end = target.indexOf('?')
  const [path, query] = end === -1 ? [target, '?'] : [target.slice(0, end), target.slice(end)]
  return [
    `"@method": ${method}`,
    `"@path": ${path}`,
    `"@query": ${query}`,
    `"content-digest": ${contentDigest}`,
    `"tandem-recipient": ${recipient}`,
    `"@signature-params": ${input}`,
  ].join('\n')
}

export function answerBase({ status, contentDigest, requestSignature }: AnswerParts, input: string): string {
  return [
    `"@status": ${status}`,
    `"content-digest": ${contentDigest}`,
    `"signature";req: ${requestSignature}`,
    `"@signature-params": ${input}`,
  ].join('\n')
}

export function writeInput(components: string, { created, expires, nonce, keyid }: SignatureParameters): string {
  const deadline = expires === undefined ? '' : `;expires=${expires}`
  const once = nonce === undefined ? '' : `;nonce="${nonce}"`
  return `${components};created=${created}${deadline}${once};keyid="${keyid}";tag="${TAG}"`
}

const PARAMETER = /;(created|expires|nonce|keyid|tag|alg)=(?:([0-9]{1,11})|"([A-Za-z0-9_-]{1,64})")/y

/** The parameters may be in any order. Returns null if the header is not in the form of the protocol. */
export function parseInput(header: string, components: string): SignatureInput | null {
  const head = `tandem=${components}`
  if (!header.startsWith(head) || header.length > 1_000) return null
  const found = new Map<string, string | number>()
  PARAMETER.lastIndex = head.length
  while (PARAMETER.lastIndex < header.length) {
    const [, name = '', number, text = ''] = PARAMETER.exec(header) ?? []
    if (name === '' || found.has(name)) return null
    found.set(name, number === undefined ? text : Number(number))
  }
  const [created, expires, nonce, keyid] = ['created', 'expires', 'nonce', 'keyid'].map((name) => found.get(name))
  if (typeof created !== 'number' || typeof keyid !== 'string' || found.get('tag') !== TAG) return null
  if (found.has('alg') && found.get('alg') !== 'ed25519') return null
  if (typeof expires === 'string' || typeof nonce === 'number') return null
  const text = header.slice('tandem='.length)
  return { created, keyid, text, ...(expires !== undefined && { expires }), ...(nonce !== undefined && { nonce }) }
}

/** Returns the 64 bytes in base64; null if the header is not in the form of the protocol. */
export function parseSignature(header: string): string | null {
  return /^tandem=:([A-Za-z0-9+/]{86}==):$/.exec(header)?.[1] ?? null
}

export function writeSignature(signature: string): string {
  return `tandem=:${signature}:`
}
