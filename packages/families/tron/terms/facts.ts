/** Names the facts of the Tron family that every process knows. Accounts are base58, which is case-sensitive; hashes are hex without 0x. */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'

export const basicForms: BasicForms = {
  formatInitiation: (tx) => tx,
  comparable(text) {
    if (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return text
    // A swap id is the 32 bytes of the contract's order id, without 0x.
    return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
  },
}

export const tronFacts: FamilyFacts = {
  name: 'tron',
  curve: 'secp256k1',
  endpointKinds: ['rpc'],
  revocableSignatures: true,
  signsAs: 'evm',
  basicForms: () => basicForms,
}

/** The Ethereum JSON-RPC has this path below a node's URL, as on TronGrid. An operator's proxy must use the same. */
export const JSON_RPC_PATH = '/jsonrpc'
