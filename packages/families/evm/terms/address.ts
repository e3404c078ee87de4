/** Parses EVM accounts, and derives the account of a key. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Address, bytesToHex, getAddress, keccak256 } from 'viem'
import { basicForms } from './facts.ts'

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => `0x${parseHash(text, 'an EVM')}`,
}

/** Equal accounts are equal strings, because the canonical form is lower case. */
export function parseAddress(text: string): Address {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not an EVM address: ${why}`)
  const digits = /^0x([0-9a-fA-F]*)$/.exec(text)?.[1]
  if (digits === undefined) throw refuse('expected 0x followed by 40 hex digits')
  if (digits.length !== 40) throw refuse(`expected 40 hex digits, got ${digits.length}`)
  if (/^0+$/.test(digits)) throw refuse('money sent to the zero address is lost')
  const lower = `0x${digits.toLowerCase()}` as Address
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  // By EIP-55, mixed case is a checksum. An address in one case has none.
  if (!oneCase && getAddress(lower) !== text) throw refuse('its EIP-55 checksum is wrong: at least one character is mistyped')
  return lower
}

/** Every action asks for the account of its key, which takes a square root on the curve, so accounts are cached by public key. */
const accounts = new WeakMap<Uint8Array, Address>()

export function accountOf(key: PublicKey): Address {
  const { publicKey } = onCurve('secp256k1', key)
  const known = accounts.get(publicKey)
  if (known !== undefined) return known
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  const account = bytesToHex(keccak256(uncompressed.subarray(1), 'bytes').subarray(12))
  accounts.set(publicKey, account)
  return account
}

export function parseHash(text: string, family: string): string {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]
  if (digits === undefined)
    throw new TandemError('bad_request', `"${text.slice(0, 90)}" is not the hash of ${family} transaction: expected 64 hex digits`)
  return digits.toLowerCase()
}
