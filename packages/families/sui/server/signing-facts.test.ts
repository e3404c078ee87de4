/** Tests what a signer reads from transactions before it signs them. */
import { expect, test } from 'vitest'
import { transactionWith, transferCallOf } from '../terms/send/call.ts'
import { bytesOf } from '../terms/send/transaction.ts'
import { signingFacts } from './signing-facts.ts'

test('the highest fee is its budget, and a version of a coin excludes others', () => {
  const address = `0x${'ab'.repeat(32)}` as never
  const coin = { id: `0x${'cd'.repeat(32)}` as never, version: 3n, digest: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' }
  const call = transactionWith(transferCallOf('0x2::sui::SUI' as never, address, 5n), [])
  const bytes = bytesOf(call, { sender: address, price: 1_000n, budget: 7_000_000n, lastEpoch: 5n, payment: [coin] })
  expect(signingFacts.worstFee('transaction', [bytes, null])).toBe(7_000_000n)
  expect(signingFacts.marks('transaction', [bytes, null])).toEqual([`coin 0x${'cd'.repeat(32)} 3`])
})
