/** Parses addresses and the digests of transactions. Digests are base58, which is case-sensitive. */
import { fromBase58 } from '@mysten/sui/utils'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { parseAddress } from './address.ts'
import { basicForms } from './facts.ts'

const DIGEST_BYTES = 32
/** The base58 form of 32 bytes has at most 44 characters. Decoding takes time that grows with the square of the length. */
const MAX_DIGEST_LENGTH = 44

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId(text) {
    if (isDigest(text)) return text
    throw new TandemError(
      'bad_request',
      `"${text.slice(0, 100)}" is not the digest of a Sui transaction: expected ${DIGEST_BYTES} bytes in base58`,
    )
  },
}

function isDigest(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text) || text.length > MAX_DIGEST_LENGTH) return false
  return fromBase58(text).length === DIGEST_BYTES
}
