// Tests the number codec of scripts, over all operands it can meet.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeScriptNumber, encodeScriptNumber, isTruthy } from './script-number.ts'

const LIMIT = 2 ** 39 - 1

describe('script numbers', () => {
  it('are the same after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.integer({ min: -LIMIT, max: LIMIT }), (value) => decodeScriptNumber(encodeScriptNumber(value), true, 5) === value),
    )
  })

  it('have one minimal encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5 }), (bytes) => {
        const value = decodeScriptNumber(bytes, false, 5)
        const canonical = encodeScriptNumber(value)
        const isCanonical = Buffer.compare(canonical, bytes) === 0
        if (isCanonical) expect(decodeScriptNumber(bytes, true, 5)).toBe(value)
        else expect(() => decodeScriptNumber(bytes, true, 5)).toThrow('unknown error')
      }),
    )
  })

  it('are true unless zero of either sign', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5 }), (bytes) => isTruthy(bytes) === (decodeScriptNumber(bytes, false, 5) !== 0)))
    expect(isTruthy(Uint8Array.of(0, 0x80))).toBe(false)
    expect(isTruthy(Uint8Array.of(0x80, 0))).toBe(true)
  })

  it.each([
    [0, ''],
    [1, '01'],
    [-1, '81'],
    [127, '7f'],
    [128, '8000'],
    [-255, 'ff80'],
    [256, '0001'],
    [2 ** 31 - 1, 'ffffff7f'],
    [2 ** 31, '0000008000'],
  ])('%d is %s', (value, encoded) => {
    expect(Buffer.from(encodeScriptNumber(value)).toString('hex')).toBe(encoded)
  })

  it('are refused when too long', () => {
    expect(() => decodeScriptNumber(new Uint8Array(5), false)).toThrow('unknown error')
  })
})
