/** Names the facts of the EVM family that every process knows. The canonical form of an account is lower-case hex. */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'

export const basicForms: BasicForms = {
  formatInitiation: (tx) => tx,
  comparable(text) {
    const isAccount = /^0x[0-9a-f]{40}$/i.test(text)
    // A swap id is the 32 bytes of the contract's order id, without 0x.
    return isAccount || /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
  },
}

export const evmFacts: FamilyFacts = {
  name: 'evm',
  curve: 'secp256k1',
  endpointKinds: ['rpc', 'ws'],
  revocableSignatures: true,
  basicForms: () => basicForms,
}
