/** How names on Tron are read. Accounts are base58, in which the case of a letter counts; hashes are hex without 0x. */
import { parseHash } from '../evm/text-forms.ts'
import type { TextForms } from '../port/text-forms.ts'
import { parseAddress } from './address.ts'

export const textForms: TextForms = {
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => parseHash(text, 'a Tron'),
  comparable(text) {
    if (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return text
    // A swap is named by the 32 bytes of its order, without 0x.
    return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
  },
}
