/** Tests that an error in JSON is reported with its place. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './parse-json.ts'

const messageOf = (text: string) => {
  try {
    parseJson(text, 'a.json')
    return null
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  ['', 'line 1, column 1: it ends too early'],
  ['{"a": 1,\n "vault_key": hunter2 }', 'line 2, column 15: something else than JSON allows there'],
  ['{\n  "a": 1,\n}', 'line 3, column 1: something else'],
  ['{"a": "hunter2', 'line 1, column 7: something else'],
  ['{"a": [1, 2', 'line 1, column 12: it ends too early'],
  ['{"a": 1\n"b": 2}', 'line 2, column 1: something else'],
  ["{'a': 'hunter2'}", 'line 1, column 2: something else'],
  ['{"a": 1} hunter2', 'line 1, column 10: something else'],
  ['{"a": 01}', 'line 1, column 8: something else'],
  ['// hunter2\n{}', 'line 1, column 1: something else'],
])('%j: %s', (text, expected) => {
  const message = messageOf(text)
  expect(message).toContain(`a.json is not valid JSON: ${expected}`)
  expect(message).not.toContain('hunter2')
})

test('valid JSON is read as it is, and an error is never reported after the first character that cannot follow', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, seed) => {
      expect(parseJson(text, '')).toEqual(JSON.parse(text))
      // JSON has this character nowhere unescaped, neither inside texts nor outside.
      const at = seed % (text.length + 1)
      const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`
      const column = Number(/column (\d+)/.exec(messageOf(broken) ?? '')?.[1])
      expect(column).toBeGreaterThan(0)
      expect(column).toBeLessThanOrEqual(at + 1)
    }),
  )
})
