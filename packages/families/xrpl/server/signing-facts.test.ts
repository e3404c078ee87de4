/** Tests what a signer reads from transactions before it signs them. */
import { expect, test } from 'vitest'
import { signingFacts } from './signing-facts.ts'

test('the highest fee is its fee, and a sequence excludes others', () => {
  expect(signingFacts.worstFee('transaction', [{ Fee: '12', Sequence: 5 }])).toBe(12n)
  expect(signingFacts.marks('transaction', [{ Fee: '12', Sequence: 5 }])).toEqual(['sequence 5'])
})
