/** Tests that a signer can ask every family what a transaction may cost. */
import { expect, test } from 'vitest'
import { loadFamily } from './index.ts'
import { familyNames } from './names.ts'

test.each(familyNames)('%s: what is no transaction has no fee, and excludes nothing', async (name) => {
  const { signingFacts } = await loadFamily(name)
  expect(signingFacts.worstFee('refundConsent', [])).toBe(null)
  expect(signingFacts.marks('refundConsent', [])).toEqual([])
})
