/**
 * Codes the text forms of accounts: base58 with the ledger's own alphabet and a checksum ("base58 Encodings" at xrpl.org), and
 * X-addresses, which have a tag too (XLS-5). It does without xrpl.js, which is large: browsers load this file.
 */
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58xrp } from '@scure/base'

export type TaggedAccount = {
  readonly account: string
  readonly tag: number | null
  readonly isTest: boolean
}

const ACCOUNT_PREFIX = 0
const ACCOUNT_BYTES = 20
const CHECKSUM_BYTES = 4
const MAIN_PREFIX = [0x05, 0x44] as const
const TEST_PREFIX = [0x04, 0x93] as const
/** The bytes are prefix, account, flag, and eight bytes of a tag in little-endian order, of which four are used. */
const X_BYTES = 2 + ACCOUNT_BYTES + 1 + 8
const TAGGED = 1

export function isAccount(text: string): boolean {
  return accountBytesOf(text) !== null
}

export function accountOfKey(publicKey: Uint8Array): string {
  return encodeAccount(ripemd160(sha256(publicKey)))
}

export function encodeTagged({ account, tag, isTest }: TaggedAccount): string {
  const bytes = accountBytesOf(account)
  if (bytes === null) throw new Error(`"${account}" is not an account of the XRP Ledger`)
  const rest = new DataView(new ArrayBuffer(9))
  if (tag !== null) {
    rest.setUint8(0, TAGGED)
    rest.setUint32(1, tag, true)
  }
  return encodeChecked(Uint8Array.of(...(isTest ? TEST_PREFIX : MAIN_PREFIX), ...bytes, ...new Uint8Array(rest.buffer)))
}

/** The result is null if the text is not an X-address, or its checksum is wrong. */
export function parseTagged(text: string): TaggedAccount | null {
  const bytes = decodeChecked(text)
  if (bytes === null || bytes.length !== X_BYTES) return null
  const prefix = [...bytes.subarray(0, 2)].join()
  if (prefix !== MAIN_PREFIX.join() && prefix !== TEST_PREFIX.join()) return null
  const account = encodeAccount(bytes.subarray(2, 2 + ACCOUNT_BYTES))
  const isTest = prefix === TEST_PREFIX.join()
  const rest = new DataView(bytes.buffer, bytes.byteOffset + 2 + ACCOUNT_BYTES)
  const [flag, tag, high] = [rest.getUint8(0), rest.getUint32(1, true), rest.getUint32(5, true)]
  if (high !== 0) return null
  if (flag === TAGGED) return { account, tag, isTest }
  return flag === 0 && tag === 0 ? { account, tag: null, isTest } : null
}

function encodeAccount(bytes: Uint8Array): string {
  return encodeChecked(Uint8Array.of(ACCOUNT_PREFIX, ...bytes))
}

function accountBytesOf(text: string): Uint8Array | null {
  const bytes = decodeChecked(text)
  return bytes !== null && bytes.length === 1 + ACCOUNT_BYTES && bytes[0] === ACCOUNT_PREFIX ? bytes.subarray(1) : null
}

function encodeChecked(bytes: Uint8Array): string {
  return base58xrp.encode(Uint8Array.of(...bytes, ...checksumOf(bytes)))
}

function decodeChecked(text: string): Uint8Array | null {
  const bytes = decodeBase58(text)
  if (bytes === null || bytes.length <= CHECKSUM_BYTES) return null
  const [body, checksum] = [bytes.subarray(0, -CHECKSUM_BYTES), bytes.subarray(-CHECKSUM_BYTES)]
  return checksumOf(body).join() === checksum.join() ? body : null
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes)).subarray(0, CHECKSUM_BYTES)
}

function decodeBase58(text: string): Uint8Array | null {
  try {
    return base58xrp.decode(text)
  } catch {
    return null
  }
}
