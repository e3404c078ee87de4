/** Gives the facts of the Bitcoin family that every process knows. A swap id is the address of the HTLC. */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'
import { firstBlock } from './chain-data.ts'
import { type BitcoinNetwork, networkOf } from './networks.ts'

export const bitcoinFacts: FamilyFacts = {
  name: 'bitcoin',
  curve: 'secp256k1',
  endpointKinds: ['rpc', 'esplora'],
  feeFromAmount: true,
  firstBlock,
  basicForms: (chain) => basicFormsOf(networkOf(chain.reference)),
}

export function basicFormsOf(network: BitcoinNetwork): BasicForms {
  return {
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
