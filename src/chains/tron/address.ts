/** Tron accounts: base58check of a prefix and the 20 bytes that its virtual machine knows an account by. */
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { type Address, bytesToHex, hexToBytes } from 'viem'
import type { Signer } from '../../keys/key.ts'
import { TandemError } from '../../protocol/error.ts'
import { accountOf as evmAccountOf } from '../evm/address.ts'

const base58check = createBase58check(sha256)
/** All of Tron's networks share it, so an address does not tell on which of them it is. */
const PREFIX = 0x41
const LENGTH = 21

/** The canonical form is the base58 one that wallets show. */
export function parseAddress(text: string): string {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not a Tron address: ${why}`)
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) throw refuse('expected base58, beginning with T')
  const bytes = decode(text)
  if (bytes === null) throw refuse('its checksum is wrong, so at least one character is too')
  if (bytes.length !== LENGTH) throw refuse(`expected ${LENGTH} bytes, got ${bytes.length}`)
  if (bytes[0] !== PREFIX) throw refuse('it is an address of another network')
  if (bytes.subarray(1).every((byte) => byte === 0)) throw refuse('money sent to the zero address is lost')
  return text
}

/** As contracts and the Ethereum-like interface of nodes have it: 0x and 40 hex digits in lower case. */
export function toEvmAddress(address: string): Address {
  return bytesToHex(base58check.decode(parseAddress(address)).subarray(1))
}

export function fromEvmAddress(address: Address): string {
  return base58check.encode(Uint8Array.of(PREFIX, ...hexToBytes(address)))
}

/** The account that a signer's transactions come from. */
export function accountOf(signer: Signer): string {
  return fromEvmAddress(evmAccountOf(signer))
}

function decode(text: string): Uint8Array | null {
  try {
    return base58check.decode(text)
  } catch {
    return null
  }
}
