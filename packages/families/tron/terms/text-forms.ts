/** Parses accounts and hashes on Tron. Accounts are base58, which is case-sensitive; hashes are hex without 0x. */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { parseHash } from '@tandem/evm/terms/text-forms.ts'
import { parseAddress } from './address.ts'
import { basicForms } from './facts.ts'

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => parseHash(text, 'a Tron'),
}
