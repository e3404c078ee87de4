/** Tests what a signer reads from transactions before it signs them. */
import { expect, test } from 'vitest'
import { signingFacts } from './signing-facts.ts'

test('the highest fee is the fee limit, and the bandwidth beside it', () => {
  expect(signingFacts.worstFee('call', [{ data: `0x${'00'.repeat(100)}` }, { feeLimitSun: 5_000_000n }])).toBe(5_000_000n + 601_000n)
})
