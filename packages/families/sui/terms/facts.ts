/** Holds the facts of the Sui family that every process loads. The canonical form of an address is 0x and 64 lower-case hex digits. */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'

const ADDRESS_DIGITS = 64

export const basicForms: BasicForms = {
  formatInitiation: (tx) => tx,
  /** A token is named by the type of its coin: `0x…::module::NAME`, whose names are case-sensitive. */
  comparable(text) {
    const [, address, names] = /^0x([0-9a-f]{1,64})((?:::\w+){2})?$/i.exec(text) ?? []
    if (address !== undefined) return `0x${address.toLowerCase().padStart(ADDRESS_DIGITS, '0')}${names ?? ''}`
    // A swap id is the 32 bytes of the contract's order id, without 0x.
    return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
  },
}

export const suiFacts: FamilyFacts = {
  name: 'sui',
  curve: 'ed25519',
  endpointKinds: ['rpc'],
  basicForms: () => basicForms,
}
