/** Parses addresses, swap ids and transaction hashes of the XRP Ledger. */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { assertInitiator, parseAddress } from './address.ts'
import { basicForms } from './facts.ts'

export function textFormsOf(chain: Chain): TextForms {
  return {
    ...basicForms,
    parseAddress: (text) => parseAddress(chain, text),
    parseIdentity: (text) => parseAddress(chain, text),
    assertInitiator,
    parseTransactionId(text) {
      if (!/^[0-9a-f]{64}$/i.test(text))
        throw new TandemError('bad_request', `"${text.slice(0, 90)}" is not the hash of a transaction: expected 64 hex digits`)
      return text.toUpperCase()
    },
  }
}
