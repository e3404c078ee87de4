/** Tests that data arrives as it was sent, and that nothing else is read. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, encode, NotPlain } from './codec.ts'

const RESERVED = ['__proto__', 'constructor', 'prototype']
const name = fc.string().filter((key) => !key.startsWith('$') && !RESERVED.includes(key))
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }),
    fc.uint8Array(),
    fc.array(tie('data'), { maxLength: 4 }),
    fc.dictionary(name, tie('data'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

test('what is sent arrives', () => {
  fc.assert(
    fc.property(data, (value) => {
      expect(decode(encode(value))).toEqual(value)
    }),
  )
  expect(decode(encode([undefined, { a: undefined, b: 1 }]))).toEqual([undefined, { b: 1 }])
})

test('a Buffer arrives as plain bytes', () => {
  const bytes = decode(encode(Buffer.from('0102', 'hex')))
  expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype)
})

test.each([
  ['a function', () => 1],
  ['an object of a class', new Date(0)],
  ['a Map', new Map([['a', 1]])],
  ['a number that JSON does not have', Number.NaN],
  ['a number that JSON does not have', -0],
  ['a symbol', Symbol('a')],
  ['a field with a reserved name', { $bigint: '1' }],
  ['a field with a reserved name', JSON.parse('{"__proto__":{}}')],
  ['an endless object', Array.from({ length: 30 }).reduce((inner) => [inner], 1)],
])('%s is not sent', (_, value) => {
  expect(() => encode([value])).toThrow(NotPlain)
})

describe('of a stranger', () => {
  test('any text is read as plain data, or refused', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      data.map((value) => encode(value)),
    )
    fc.assert(
      fc.property(texts, fc.nat(), fc.string({ maxLength: 3 }), (text, at, more) => {
        const place = at % (text.length + 1)
        const changed = text.slice(0, place) + more + text.slice(place + 1)
        for (const one of [text, changed]) {
          try {
            encode(decode(one))
          } catch (error) {
            expect(error).toBeInstanceOf(NotPlain)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '{"__proto__":{"isAdmin":true}}',
    '[{"constructor":1}]',
    '{"a":{"prototype":1}}',
    '{"$bigint":"1","a":1}',
    '{"$bigint":"01"}',
    '{"$bigint":"-0"}',
    '{"$bigint":1}',
    `{"$bigint":"${'9'.repeat(200)}"}`,
    '{"$bytes":"0"}',
    '{"$bytes":"0A"}',
    '{"$undefined":false}',
    '{"$else":1}',
    '{"a":1,"$b":2}',
    `${'['.repeat(30)}${']'.repeat(30)}`,
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `[${Array.from({ length: 100_001 }).fill(0).join()}]`,
    '',
    'undefined',
  ])('%s is refused', (text) => {
    expect(() => decode(text)).toThrow(NotPlain)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })
})
