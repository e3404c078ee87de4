/** Parses parties, addresses and hashes on Bitcoin-like chains. Parties are x-only keys (BIP340). */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { basicFormsOf } from './facts.ts'
import type { BitcoinNetwork } from './networks.ts'
import { parseBitcoinAddress } from './script/address.ts'
import { parseUserIdentity } from './script/user-key.ts'

export function textFormsOf(network: BitcoinNetwork): TextForms {
  return {
    ...basicFormsOf(network),
    parseAddress: (text) => parseBitcoinAddress(text, network),
    parseIdentity(text) {
      const identity = parseUserIdentity(text)
      if (identity === null)
        throw new TandemError(
          'invalid_address',
          `"${text.slice(0, 90)}" is not a party of a ${network.coin} HTLC: expected an x-only public key`,
        )
      return identity
    },
    parseTransactionId(text) {
      // With the height of `formatInitiation`, or without.
      const digits = /^(?:0x)?([0-9a-f]{64})(?::[0-9]+)?$/i.exec(text)?.[1]
      if (digits === undefined)
        throw new TandemError(
          'bad_request',
          `"${text.slice(0, 90)}" is not the id of a ${network.coin} transaction: expected 64 hex digits`,
        )
      return digits.toLowerCase()
    },
  }
}
