/** Parses public keys as parties of an HTLC, and those of users who keep their own key. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { taprootTweakPubkey } from '@scure/btc-signer/utils.js'
import type { UserKey } from '@tandem/chain-kit/port/abilities/spending.ts'
import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { BitcoinNetwork } from '../networks.ts'
import { parseXOnlyKey } from './address.ts'

const EXPECTED = 'expected an x-only public key (BIP340), 32 bytes as 64 hex characters'

/** The result is null for a text that is not a key in any encoding: it may be an address. */
export function parseUserKey(text: string, network: BitcoinNetwork): UserKey | null {
  const key = readKey(text)
  return key === null ? null : { identity: bytesToHex(key), address: keyAddress(key, network) }
}

/** The address is left out, because it takes a multiplication on the curve. */
export function parseUserIdentity(text: string): string | null {
  const key = readKey(text)
  return key === null ? null : bytesToHex(key)
}

function readKey(text: string): Uint8Array | null {
  const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase()
  if (digits === undefined || digits.length < 64) return null
  if (/^0[23]/.test(digits) && digits.length === 66)
    throw unusable(text, 'it is a compressed key of 33 bytes: remove its first byte (02 or 03)')
  if (digits.length !== 64) throw unusable(text, `it has ${digits.length} hex characters`)
  if (digits !== text.toLowerCase()) throw unusable(text, 'remove the 0x')
  return parseKey(digits, text)
}

function parseKey(digits: string, text: string): Uint8Array {
  try {
    return parseXOnlyKey(digits, 'key')
  } catch (cause) {
    throw unusable(text, 'there is no point with this x on secp256k1', cause)
  }
}

/** BIP86: the key alone spends the output, which commits to there being no script (BIP341: a tweak by the hash of the key only). */
function keyAddress(key: Uint8Array, network: BitcoinNetwork): string {
  const [outputKey] = taprootTweakPubkey(key, hexToBytes(''))
  return bech32m.encode(network.bech32, [1, ...bech32m.toWords(outputKey)])
}

function unusable(text: string, reason: string, cause?: unknown): TandemError {
  return new TandemError('invalid_address', `"${text.slice(0, 100)}" is not a usable public key: ${reason}; ${EXPECTED}`, { cause })
}

/** The identity is the BIP340 x-only form of the compressed public key, in lower-case hex. */
export function identityOf(key: PublicKey): string {
  return bytesToHex(onCurve('secp256k1', key).publicKey.subarray(1))
}
