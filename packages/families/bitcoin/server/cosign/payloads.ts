/** Parses and writes the JSON payloads that the two parties of a Bitcoin-family HTLC exchange to cosign. Parsing is strict. */
import type { PartialSignature } from '@tandem/keys/musig2.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { parseNonce } from '../../terms/cosign/musig.ts'

/** The draft has the unsigned transaction, in hex, and the redeemer's partial signature for each input. */
export type CosignDraft = { readonly transaction: string; readonly inputs: readonly DraftInput[] }
type DraftInput = PartialSignature & { readonly deposit: string }

const MAX_TRANSACTION_LENGTH = 200_000
const MAX_INPUTS = 250
const MAX_DEPOSIT_LENGTH = 128

export function writeTexts(texts: readonly string[]): string {
  return JSON.stringify(texts)
}

export function readNonces(payload: string, count: number): readonly string[] {
  return readList(payload, 'nonce', count).map((nonce) => {
    if (!isNonce(nonce)) throw bad('expected BIP327 nonces: 66 bytes each, hex')
    return nonce
  })
}

export function isNonces(payload: string, count: number): boolean {
  try {
    readNonces(payload, count)
    return true
  } catch (error) {
    if (error instanceof TandemError) return false
    throw error
  }
}

export function writeParts(parts: readonly PartialSignature[]): string {
  return JSON.stringify(parts.map(({ nonce, signature }) => ({ nonce, signature })))
}

export function readParts(payload: string, count: number): readonly PartialSignature[] {
  return readList(payload, 'partial signature', count).map(readPart)
}

export function readSignatures(payload: string, count: number): readonly string[] {
  return readList(payload, 'signature', count).map((signature) => {
    if (!isHex(signature, 65)) throw bad('expected BIP340 signatures with their hash type: 65 bytes each, hex')
    return signature
  })
}

export function writeDraft({ transaction, inputs }: CosignDraft): string {
  return JSON.stringify({ transaction, inputs: inputs.map(({ deposit, nonce, signature }) => ({ deposit, nonce, signature })) })
}

export function readDraft(payload: string): CosignDraft {
  const draft = readJson(payload)
  if (!isRecord(draft) || !Array.isArray(draft.inputs) || draft.inputs.length > MAX_INPUTS) throw bad('this is not a draft of a redeem')
  const inputs = draft.inputs.map((input: unknown) => {
    const { deposit } = isRecord(input) ? input : {}
    if (typeof deposit !== 'string' || deposit === '' || deposit.length > MAX_DEPOSIT_LENGTH) throw bad('an input lacks its deposit')
    return { deposit, ...readPart(input) }
  })
  return { transaction: readTransaction(draft.transaction), inputs }
}

/** Only lower-case hex is valid, so that one transaction has one text. */
export function readTransaction(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_TRANSACTION_LENGTH || !/^([0-9a-f]{2})+$/.test(text))
    throw bad('the transaction is not lower-case hex, or is longer than 100 kB')
  return text
}

function readPart(part: unknown): PartialSignature {
  const { nonce, signature } = isRecord(part) ? part : {}
  if (!isNonce(nonce) || !isHex(signature, 32)) throw bad('expected a BIP327 nonce and a BIP327 partial signature, hex')
  return { nonce, signature }
}

function readList(payload: string, item: string, count: number): readonly unknown[] {
  const list = readJson(payload)
  if (!Array.isArray(list)) throw bad(`expected a list of ${item}s`)
  if (list.length !== count) throw bad(`expected a ${item} for each of ${count} deposits, got ${list.length}`)
  return list
}

function readJson(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch (cause) {
    throw bad('it is not JSON', cause)
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNonce(value: unknown): value is string {
  return typeof value === 'string' && parseNonce(value) !== null
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]+$/.test(value)
}

function bad(reason: string, cause?: unknown): TandemError {
  return new TandemError('bad_request', `this payload cannot be used: ${reason}`, { cause })
}
