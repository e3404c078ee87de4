/** Parses accounts and signatures. All are base58, which is case-sensitive. */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { parseAddress } from './address.ts'
import { base58Length } from './base58-length.ts'
import { basicForms } from './facts.ts'

const SIGNATURE_BYTES = 64

export const textForms: TextForms = {
  ...basicForms,
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
}
