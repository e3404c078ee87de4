/** Tests what a signer is told of a job: which deposits it refunds. */
import { findSigning } from '@tandem/keys/signing-families.ts'
import { expect, test } from 'vitest'
import './signing-jobs.ts'

const txid = 'ab'.repeat(32)
const refundedBy = (name: string, ...refunds: readonly unknown[]) =>
  findSigning(['bitcoin'], 'job', name)?.refunded(['a network', 'terms', refunds, { deposit: 'a decoy:0' }])

test.each(['beginRefund', 'finishRefund', 'answerRefund', 'signRefunds'])(
  '%s names the deposits that it refunds, and no others',
  (name) => {
    expect(refundedBy(name, { deposit: `${txid}:0`, to: { deposit: 'a decoy:0' } }, { deposit: `${txid}:1` })).toEqual([
      `${txid}:0`,
      `${txid}:1`,
    ])
    for (const alias of [`${txid}:00`, [`${txid}:0`], undefined]) expect(() => refundedBy(name, { deposit: alias })).toThrow()
  },
)

test('other jobs name none', () => {
  for (const name of ['draft', 'beginCosigning', 'leafSpends']) expect(refundedBy(name, { deposit: `${txid}:0` }) ?? null).toBeNull()
})
