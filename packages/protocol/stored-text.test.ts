import { expect, test } from 'vitest'
import { assertStorable } from './stored-text.ts'

test('a text with NUL is refused wherever it is, and named', () => {
  expect(() => assertStorable([{ a: ['x', { b: 'y\0' }] }])).toThrow('a.1.b: a text must not contain NUL')
  expect(() => assertStorable([undefined, { '\0': 1 }])).toThrow('?: a text')
  expect(() => assertStorable(['\0'])).toThrow('the request: a text')
  assertStorable([null, undefined, 1, true, { a: ['', { b: 'é\ud800' }] }])
})
