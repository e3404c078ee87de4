/** Parses accounts, swap ids and signatures. All are base58, which is case-sensitive. */
import { TandemError } from '../../protocol/error.ts'
import type { TextForms } from '../port/text-forms.ts'
import { base58Length, parseAddress } from './address.ts'

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32

export const textForms: TextForms = {
  parseAddress,
  parseIdentity: parseAddress,
  /** A transaction is named by its first signature. */
  parseTransactionId(text) {
    if (base58Length(text) === SIGNATURE_BYTES) return text
    throw new TandemError(
      'bad_request',
      `"${text.slice(0, 100)}" is not the signature of a Solana transaction: expected ${SIGNATURE_BYTES} bytes in base58`,
    )
  },
  formatInitiation: (tx) => tx,
  // A swap id is the address of the order's account.
  comparable: (text) => (base58Length(text) === ADDRESS_BYTES ? text : null),
}
