/** Solana accounts: the base58 form of 32 bytes, without a checksum. All clusters share it: an address does not name its cluster. */
import { type Address, getAddressDecoder, getBase58Encoder } from '@solana/kit'
import { systemProgram } from '../../../contracts/solana/client/instructions.ts'
import { onCurve, type PublicKey } from '../../keys/key.ts'
import { TandemError } from '../../protocol/error.ts'

const BYTES = 32

/** Each 32 bytes have exactly one base58 form, so the text is canonical as it is. It may be an address without a key, e.g. of a multisig. */
export function parseAddress(text: string): Address {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not a Solana address: ${why}`)
  const length = base58Length(text)
  if (length === null) throw refuse('expected base58')
  if (length !== BYTES) throw refuse(`expected ${BYTES} bytes, got ${length}`)
  if (text === systemProgram) throw refuse('money sent to the zero address is lost')
  return text as Address
}

/** The account of a key: the sender of its transactions. */
export function accountOf(key: PublicKey): Address {
  return getAddressDecoder().decode(onCurve('ed25519', key).publicKey)
}

/** Null for a text that is not base58. */
export function base58Length(text: string): number | null {
  // No address or signature is longer. Decoding takes quadratic time.
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,100}$/.test(text)) return null
  return getBase58Encoder().encode(text).length
}
