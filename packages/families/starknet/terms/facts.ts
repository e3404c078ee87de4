/** Holds the facts of the Starknet family that every process loads. The canonical form of an account is 0x and 64 lower-case hex digits. */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'

const ADDRESS_DIGITS = 64

export const basicForms: BasicForms = {
  formatInitiation: (tx) => tx,
  comparable(text) {
    const address = /^0x([0-9a-f]{1,64})$/i.exec(text)?.[1]
    if (address !== undefined) return `0x${address.toLowerCase().padStart(ADDRESS_DIGITS, '0')}`
    // A swap id is the contract's order id, a hash, without 0x and leading zeros.
    return /^0*([0-9a-f]{48,63})$/i.exec(text)?.[1]?.toLowerCase() ?? null
  },
}

export const starknetFacts: FamilyFacts = {
  name: 'starknet',
  curve: 'stark',
  endpointKinds: ['rpc', 'ws'],
  basicForms: () => basicForms,
}
