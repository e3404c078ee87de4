/**
 * Gives the facts of the XRPL family that every process knows. Addresses are base58 with letter case; transaction hashes are in upper
 * case, swap ids in lower case.
 */
import type { FamilyFacts } from '@tandem/chain-kit/port/family.ts'
import type { BasicForms } from '@tandem/chain-kit/port/text-forms.ts'

const ADDRESS = /^(r[1-9A-HJ-NP-Za-km-z]{24,34}|[XT][1-9A-HJ-NP-Za-km-z]{46})$/

export const basicForms: BasicForms = {
  formatInitiation: (tx) => tx,
  comparable(text) {
    if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
    return ADDRESS.test(text) ? text : null
  },
}

export const xrplFacts: FamilyFacts = {
  name: 'xrpl',
  curve: 'ed25519',
  endpointKinds: ['ws'],
  basicForms: () => basicForms,
}
