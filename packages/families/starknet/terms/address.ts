/** Parses addresses of Starknet accounts and contracts, without the SDK, which is large: browsers load this file. */
import { hexToBytes } from '@noble/hashes/utils.js'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { starknetKeccak } from '../contract/client/felt.ts'
import type { Felt } from '../server/nodes/node.ts'
import { basicForms } from './facts.ts'

const FIELD_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  /** The hash is recorded without leading zeros, because nodes need not accept others. */
  parseTransactionId(text) {
    // A part of a hash is refused: without 0x all digits must be there.
    const [, short, whole] = /^(?:0x([0-9a-f]{1,64})|([0-9a-f]{64}))$/i.exec(text) ?? []
    const digits = short ?? whole
    const value = digits === undefined ? 0n : BigInt(`0x${digits}`)
    if (value === 0n || value >= FIELD_PRIME)
      throw new TandemError(
        'bad_request',
        `"${text.slice(0, 90)}" is not the hash of a Starknet transaction: expected an element of its field as 0x and 1 to 64 hex digits`,
      )
    return feltOf(`0x${value.toString(16)}`)
  },
}

/** The form is 0x and 64 lower-case hex digits, so that equal addresses are equal strings. Nodes leave out leading zeros: see `feltOf`. */
export type Address = `0x${string}`

const DIGITS = 64

/** Nodes and some wallets leave out leading zeros. An address is a hash: fewer digits than this are an address of another chain. */
const MIN_DIGITS = 56

/** Addresses are below this bound, which is less than the prime of the field: see "Contract address" in Starknet's documentation. */
const ADDRESS_BOUND = 2n ** 251n - 256n

export function parseAddress(text: string): Address {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not a Starknet address: ${why}`)
  const digits = /^0x([0-9a-fA-F]*)$/.exec(text)?.[1]
  if (digits === undefined) throw refuse('expected 0x followed by hex digits')
  if (/^0+$/.test(digits)) throw refuse('money sent to the zero address is lost')
  if (digits.length < MIN_DIGITS || digits.length > DIGITS) throw refuse(`expected ${DIGITS} hex digits, got ${digits.length}`)
  const value = BigInt(text)
  // The operating system of Starknet keeps block hashes there.
  if (value === 1n) throw refuse('address 1 is reserved, and nobody can spend from it')
  if (value >= ADDRESS_BOUND) throw refuse('it is not below 2^251 - 256, so no contract can have it')
  const address = addressOfFelt(text as Felt)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  // Mixed case is a checksum over the padded form; some wallets leave out its leading zeros.
  if (!isOneCase && !withChecksum(address).endsWith(digits)) throw refuse('its checksum is wrong: at least one character is mistyped')
  return address
}

/** A configuration may omit leading zeros. */
export function paddedAddress(text: string): Address {
  return parseAddress(/^0x[0-9a-fA-F]+$/.test(text) ? `0x${text.slice(2).padStart(DIGITS, '0')}` : text)
}

/** Nodes and calldata have this form. */
export function feltOf(address: string): Felt {
  return `0x${BigInt(address).toString(16)}`
}

export function addressOfFelt(felt: Felt): Address {
  return `0x${BigInt(felt).toString(16).padStart(DIGITS, '0')}`
}

/** A letter is in upper case where the digit of the address's hash is 8 or more, like `getChecksumAddress` of starknet.js. */
function withChecksum(address: Address): string {
  const [digits, value] = [address.slice(2), BigInt(address).toString(16)]
  const hash = starknetKeccak(hexToBytes(value.padStart(value.length + (value.length % 2), '0')))
  const marks = hash.slice(2).padStart(DIGITS, '0')
  return [...digits].map((digit, index) => (Number.parseInt(marks[index] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit)).join('')
}
