/** Tests how amounts, heights and transactions in a node's JSON are parsed. */
import { whole } from '@tandem/chain-kit/providers/json.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asBytes, asSatoshis, asTransaction } from './node-json.ts'

describe('amounts in JSON', () => {
  it.each([
    ['0.00000001', 1n],
    ['1e-8', 1n],
    ['0.1', 10_000_000n],
    ['0.29', 29_000_000n],
    ['1.00000000', 100_000_000n],
    ['20999999.99999999', 2_099_999_999_999_999n],
    ['21000000.00000000', 2_100_000_000_000_000n],
    ['0', 0n],
  ])('reads %s exactly', (text, satoshis) => {
    expect(asSatoshis(JSON.parse(text))).toBe(satoshis)
  })

  it('reads every amount there can be exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }), (satoshis) => {
        const text = `${satoshis / 100_000_000n}.${(satoshis % 100_000_000n).toString().padStart(8, '0')}`
        expect(asSatoshis(JSON.parse(text))).toBe(satoshis)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([[-1], ['1'], [null], [21_000_001], [Number.NaN]])('refuses %s', (value) => {
    expect(() => asSatoshis(value)).toThrow(expect.objectContaining({ kind: 'unreachable' }))
  })
})

it('refuses heights that are not whole numbers', () => {
  expect(whole(7)).toBe(7n)
  for (const value of [1.5, -1, '7', undefined]) expect(() => whole(value)).toThrow(expect.objectContaining({ kind: 'unreachable' }))
})

it('a malformed transaction means a faulty node', () => {
  for (const value of ['', 'zz', '0200000001', 7])
    expect(() => asTransaction(value, { mweb: null })).toThrow(expect.objectContaining({ kind: 'unreachable' }))
})

it('bytes that are not hex, or half a byte, mean a faulty node', () => {
  expect(asBytes('00ff7a')).toEqual(Buffer.from([0x00, 0xff, 0x7a]))
  for (const value of ['zz', '0', '00fg', '00 f', 7]) expect(() => asBytes(value)).toThrow(expect.objectContaining({ kind: 'unreachable' }))
})
