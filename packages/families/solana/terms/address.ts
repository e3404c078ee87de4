/** Parses Solana accounts: the base58 form of 32 bytes, without a checksum. An address does not name its cluster. */
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { systemProgram } from '../contract/client/programs.ts'
import { base58Length } from './base58-length.ts'
import { basicForms } from './facts.ts'

const SIGNATURE_BYTES = 64

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId(text) {
    if (base58Length(text) === SIGNATURE_BYTES) return text
    throw new TandemError(
      'bad_request',
      `"${text.slice(0, 100)}" is not the signature of a Solana transaction: expected ${SIGNATURE_BYTES} bytes in base58`,
    )
  },
}

const BYTES = 32

/** Each 32 bytes have exactly one base58 form, so the text is canonical. The address may have no key, e.g. that of a multisig. */
export function parseAddress(text: string): Address {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not a Solana address: ${why}`)
  const length = base58Length(text)
  if (length === null) throw refuse('expected base58')
  if (length !== BYTES) throw refuse(`expected ${BYTES} bytes, got ${length}`)
  if (text === systemProgram) throw refuse('money sent to the zero address is lost')
  return text as Address
}

export function accountOf(key: PublicKey): Address {
  return getAddressDecoder().decode(onCurve('ed25519', key).publicKey)
}

/** These are the 32 bytes of the account's key. */
export function addressBytes(address: Address): Uint8Array {
  return Uint8Array.from(getAddressEncoder().encode(address))
}
