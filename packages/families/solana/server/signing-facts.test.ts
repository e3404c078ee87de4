/** Tests what a signer reads from transactions before it signs them. */
import { expect, test } from 'vitest'
import { buildTransaction } from '../terms/send/transaction.ts'
import { signingFacts } from './signing-facts.ts'

test('the highest fee is that of its units, and of its signatures', () => {
  const feePayer = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' as never
  const message = buildTransaction([], { unitLimit: 1_000_000, unitPrice: 2_000_000n, feePayer, blockhash: feePayer })
  expect(signingFacts.worstFee('transaction', [Uint8Array.from(message.messageBytes)])).toBe(2_000_000n + 10_000n)
})
