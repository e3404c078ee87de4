/** Tests the virtual bytes that a redeem is expected to have. */
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { htlcOf } from '../../terms/htlc.ts'
import { networkOf } from '../../terms/networks.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { estimateVsize } from '../../terms/script/weight.ts'
import { inputVsize, MAX_SPENT_AT_ONCE, redeemVsize, spendVsize } from './spend-size.ts'

const { redeem, refund } = htlcOf(
  {
    asset: 'bitcoin_regtest:btc',
    initiator: identityOf(createSecp256k1Key('01'.repeat(32))),
    redeemer: identityOf(createSecp256k1Key('02'.repeat(32))),
    amount: 100_000n,
    secretHash: hashSecret('03'.repeat(32)),
    timelock: 144n,
  },
  networkOf('bitcoin:regtest'),
)
const wallet = new Uint8Array(22)
const byKeyPath = (count: number) =>
  estimateVsize(
    Array.from({ length: count }, () => [64]),
    [wallet],
  )

describe('what a redeem costs in virtual bytes', () => {
  it.each([
    [1, 143n, 99n],
    [2, 243n, 157n],
    [4, 445n, 272n],
    [10, 1_049n, 617n],
    // A redeem takes 101.58 and 58.34 vB for each of fifty.
    [50, 5_079n, 2_917n],
    [100, 10_117n, 5_792n],
  ])('of %i deposits: %s by script, %s by key', (count, byScript, byKey) => {
    expect([redeemVsize(redeem, count, wallet), byKeyPath(count)]).toEqual([byScript, byKey])
  })

  it('is far below the relay limit of nodes, with a child, for the largest batch', () => {
    const largest = Array.from({ length: MAX_SPENT_AT_ONCE }, () => ({ leaf: redeem, items: [new Uint8Array(32)] }))
    expect(spendVsize(largest, new Uint8Array(34))).toBeLessThan(100_000n / 2n)
  })

  it('is known for one more deposit', () => {
    expect(inputVsize({ leaf: redeem, items: [new Uint8Array(32)] })).toBe(101n)
    expect(inputVsize({ leaf: refund, items: [] })).toBe(92n)
  })
})
