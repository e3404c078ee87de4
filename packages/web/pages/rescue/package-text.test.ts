/** Tests that a refund package is found wherever the user copied it from, and that the page says what else was pasted. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rescue as texts } from '../../texts.ts'
import { packageIn } from './package-text.ts'

const kept = {
  kind: 'deposit-address',
  family: 'evm',
  chain: 'ethereum_localnet',
  asset: 'ethereum_localnet:wbtc',
  htlc: `0x${'1'.repeat(40)}`,
  token: null,
  initiator: `0x${'a'.repeat(40)}`,
  redeemer: `0x${'5'.repeat(40)}`,
  amount: '1000000',
  secret_hash: 'cd'.repeat(32),
  timelock: '600',
  deadline: '1700000000',
  address: `0x${'e'.repeat(40)}`,
}

describe('a package is found', () => {
  test.each([
    ['alone', kept],
    ['in its field', { refund_package: kept }],
    ['in the result', { order_id: 'ab', refund_package: kept }],
    ['in the whole answer', { status: 'Ok', result: { order_id: 'ab', refund_package: kept } }],
  ])('%s', (_, value) => {
    expect(packageIn(`\n ${JSON.stringify(value, null, 2)} `)).toEqual(kept)
  })
})

test.each([
  ['nothing', '', texts.package.wrong],
  ['a phrase', 'abandon abandon about', texts.package.wrong],
  ['a rescue file', { kind: 'tandem rescue file', version: 1, swaps: '' }, texts.package.wrong],
  ['an answer without a package', { status: 'Ok', result: { order_id: 'ab', refund_package: null } }, texts.package.wrong],
  ['the package of a key', { refund_package: { family: 'bitcoin', chain: 'bitcoin', terms: {} } }, texts.package.otherKind],
])('%s is none', (_, value, words) => {
  expect(() => packageIn(typeof value === 'string' ? value : JSON.stringify(value))).toThrow(words)
})

test('whatever is pasted is a package, or refused in words of the page', () => {
  const words: readonly string[] = [texts.package.wrong, texts.package.otherKind]
  const pasted = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ refund_package: fc.jsonValue(), result: fc.jsonValue() }, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
    fc.tuple(fc.constantFrom(...Object.keys(kept)), fc.jsonValue()).map(([name, value]) => JSON.stringify({ ...kept, [name]: value })),
  )
  fc.assert(
    fc.property(pasted, (text) => {
      try {
        expect(packageIn(text).kind).toBe('deposit-address')
      } catch (error) {
        expect(error).toMatchObject({ name: 'SaidError' })
        expect(words).toContain((error as Error).message)
      }
    }),
  )
})
