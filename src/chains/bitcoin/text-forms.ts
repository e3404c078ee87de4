/** Parses parties, swap ids and hashes on Bitcoin-like chains. Parties are x-only keys (BIP340); a swap id is its address. */
import { TandemError } from '../../protocol/error.ts'
import type { TextForms } from '../port/text-forms.ts'
import type { BitcoinNetwork } from './networks.ts'
import { parseBitcoinAddress } from './script/address.ts'
import { parseUserKey } from './script/user-key.ts'

export function textFormsOf(network: BitcoinNetwork): TextForms {
  return {
    parseAddress: (text) => parseBitcoinAddress(text, network),
    parseIdentity(text) {
      const key = parseUserKey(text, network)
      if (key === null)
        throw new TandemError(
          'invalid_address',
          `"${text.slice(0, 90)}" is not a party of a ${network.coin} HTLC: expected an x-only public key`,
        )
      return key.identity
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
    formatInitiation: (tx, height) => `${tx}:${height ?? 0n}`,
    comparable(text) {
      if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
      // BIP173: bech32 is in one case. In base58 the case of a letter counts.
      const isOneCase = text === text.toLowerCase() || text === text.toUpperCase()
      if (isOneCase && text.toLowerCase().startsWith(`${network.bech32}1`)) return text.toLowerCase()
      return /^[1-9A-HJ-NP-Za-km-z]{26,35}$/.test(text) ? text : null
    },
  }
}
