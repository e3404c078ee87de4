/** Parses accounts, swap ids and hashes on Tron. Accounts are base58, which is case-sensitive; hashes are hex without 0x. */
import { parseHash } from '../evm/text-forms.ts'
import type { TextForms } from '../port/text-forms.ts'
import { parseAddress } from './address.ts'

export const textForms: TextForms = {
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => parseHash(text, 'a Tron'),
  formatInitiation: (tx) => tx,
  comparable(text) {
    if (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return text
    // A swap id is the 32 bytes of the contract's order id, without 0x.
    return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
  },
}
