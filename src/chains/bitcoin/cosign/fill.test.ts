import { expect, test } from 'vitest'
import { createTestSigner } from '../../../keys/keys.fixture.ts'
import type { Fill } from '../../../protocol/fill.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import { identityOf } from '../script/identity.ts'
import { signFill, verifyFill } from './fill.ts'

const solver = createTestSigner('22'.repeat(32))
const terms: HtlcTerms = {
  asset: 'bitcoin_regtest:btc',
  initiator: 'a2'.repeat(32),
  redeemer: identityOf(solver),
  amount: 1_000_000n,
  secretHash: '5e'.repeat(32),
  timelock: 200n,
}
const fill: Fill = { deposits: [`${'01'.repeat(32)}:0`, `${'02'.repeat(32)}:1`], blockHash: '0b'.repeat(32), destinationAmount: 990_000n }
const signature = signFill(terms, 'order', fill, solver)

test('a fill that the redeemer signed is valid', () => {
  expect(verifyFill(terms, 'order', fill, signature)).toBe(true)
})

test.each([
  ['another order', () => verifyFill(terms, 'other', fill, signature)],
  ['another secret', () => verifyFill({ ...terms, secretHash: '5f'.repeat(32) }, 'order', fill, signature)],
  ['another redeemer', () => verifyFill({ ...terms, redeemer: terms.initiator }, 'order', fill, signature)],
  ['another amount', () => verifyFill(terms, 'order', { ...fill, destinationAmount: 990_001n }, signature)],
  ['another block', () => verifyFill(terms, 'order', { ...fill, blockHash: '0c'.repeat(32) }, signature)],
  ['fewer deposits', () => verifyFill(terms, 'order', { ...fill, deposits: fill.deposits.slice(1) }, signature)],
  ['another sequence', () => verifyFill(terms, 'order', { ...fill, deposits: fill.deposits.toReversed() }, signature)],
  ['another spelling of the same list', () => verifyFill(terms, 'order', { ...fill, deposits: [fill.deposits.join('","')] }, signature)],
  ['no hex', () => verifyFill(terms, 'order', fill, 'x'.repeat(128))],
  ['half a signature', () => verifyFill(terms, 'order', fill, signature.slice(64))],
  ['capital letters', () => verifyFill(terms, 'order', fill, signature.toUpperCase())],
])('it is not valid for %s', (_, verify) => {
  expect(verify()).toBe(false)
})

test('nobody else can sign it', () => {
  expect(() => signFill(terms, 'order', fill, createTestSigner('23'.repeat(32)))).toThrow('only the redeemer')
})
