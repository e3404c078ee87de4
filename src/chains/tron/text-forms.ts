/** Parses accounts and hashes on Tron. Accounts are base58, which is case-sensitive; hashes are hex without 0x. */
import { parseHash } from '../evm/text-forms.ts'
import type { TextForms } from '../port/text-forms.ts'
import { parseAddress } from './address.ts'
import { basicForms } from './facts.ts'

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => parseHash(text, 'a Tron'),
}
