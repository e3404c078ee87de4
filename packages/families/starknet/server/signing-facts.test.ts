/** Tests what a signer reads from transactions before it signs them. */
import { expect, test } from 'vitest'
import { signingFacts } from './signing-facts.ts'

test('the highest fee is that of all kinds of gas with the tip, and a nonce excludes others', () => {
  const gas = { l1Gas: 1n, l1DataGas: 10n, l2Gas: 100n }
  const envelope = { nonce: 9n, gas, fees: { prices: { l1Gas: 2n, l1DataGas: 3n, l2Gas: 4n }, tip: 1n } }
  for (const name of ['invoke', 'deployAccount']) {
    expect(signingFacts.worstFee(name, [envelope])).toBe(2n + 30n + 500n)
    expect(signingFacts.marks(name, [envelope])).toEqual(['nonce 9'])
  }
  expect(signingFacts.worstFee('question', ['0x1'])).toBe(null)
})
