/** Holds the facts of the Solana family that every process loads. A swap id is the address of the order's account. */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'
import { base58Length } from './base58-length.ts'

const ADDRESS_BYTES = 32

export const basicForms: BasicForms = {
  formatInitiation: (tx) => tx,
  comparable: (text) => (base58Length(text) === ADDRESS_BYTES ? text : null),
}

export const solanaFacts: FamilyFacts = {
  name: 'solana',
  curve: 'ed25519',
  endpointKinds: ['rpc', 'ws'],
  basicForms: () => basicForms,
}
