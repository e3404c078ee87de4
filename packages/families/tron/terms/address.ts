/** Parses Tron accounts: base58check of a prefix and the 20 bytes by which the virtual machine knows an account. */
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { accountOf as evmAccountOf, parseHash } from '@tandem/evm/terms/address.ts'
import type { PublicKey } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Address, bytesToHex, hexToBytes } from 'viem'
import { basicForms } from './facts.ts'

/** Accounts are base58, which is case-sensitive; hashes are hex without 0x. */
export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => parseHash(text, 'a Tron'),
}

const base58check = createBase58check(sha256)

/** All Tron networks share the prefix, so an address does not name its network. */
const PREFIX = 0x41
const LENGTH = 21

/** Wallets show the canonical form, base58. */
export function parseAddress(text: string): string {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not a Tron address: ${why}`)
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) throw refuse('expected base58, beginning with T')
  const bytes = decode(text)
  if (bytes === null) throw refuse('its checksum is wrong: at least one character is mistyped')
  if (bytes.length !== LENGTH) throw refuse(`expected ${LENGTH} bytes, got ${bytes.length}`)
  if (bytes[0] !== PREFIX) throw refuse('it is an address of another network')
  if (bytes.subarray(1).every((byte) => byte === 0)) throw refuse('money sent to the zero address is lost')
  return text
}

/** Contracts and the JSON-RPC of nodes write 0x and 40 hex digits in lower case. */
export function toEvmAddress(address: string): Address {
  return bytesToHex(base58check.decode(parseAddress(address)).subarray(1))
}

export function fromEvmAddress(address: Address): string {
  return base58check.encode(Uint8Array.of(PREFIX, ...hexToBytes(address)))
}

export function accountOf(key: PublicKey): string {
  return fromEvmAddress(evmAccountOf(key))
}

function decode(text: string): Uint8Array | null {
  try {
    return base58check.decode(text)
  } catch {
    return null
  }
}
