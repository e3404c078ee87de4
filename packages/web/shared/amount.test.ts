import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatAmount, formatMicros, groupThousands, parseAmount, plainAmount, shareOfUsd } from './amount.ts'

const S = '\u202f'

test.each([
  [0, '0'],
  [999, '999'],
  [1234, `1${S}234`],
  [1_234_567n, `1${S}234${S}567`],
  ['123456.123456789', `123${S}456.123456789`],
  [-1234, `-1${S}234`],
])('thousands of %s', (number, text) => {
  expect(groupThousands(number)).toBe(text)
})

test('coins and dollars are written in the same way', () => {
  expect(formatAmount(1_234_500_000_000n, 8)).toBe(`12${S}345`)
  expect(formatAmount(123_456_000_000n, 8)).toBe(`1${S}234.56`)
  expect(formatMicros(1_234_567_891n)).toBe(`$1${S}234.57`)
  expect(plainAmount(1_234_500_000_000n, 8)).toBe('12345')
})

test('a part of a worth', () => {
  expect(shareOfUsd('61250.5', 1n, 1n)).toBe(61_250_500_000n)
  expect(shareOfUsd('61250.123456789', 1n, 2n)).toBe(30_625_061_728n)
  expect(shareOfUsd('1', 1n, 0n)).toBe(0n)
})

test('what is written can be typed back', () => {
  expect(parseAmount(formatAmount(123_456_123_456_789n, 8), 8)).toBe(123_456_123_456_789n)
})

/** The compact figures of the charts, such as 12.3K, have no thousands. */
const MAY_FORMAT = new Set(['shared/amount.ts', 'pages/operator/format.ts'])

test('no page has a way of its own', () => {
  const web = join(import.meta.dirname, '..')
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.tsx?$/.test(file))
  expect(files.length).toBeGreaterThan(50)
  const own = files.filter((file) => !MAY_FORMAT.has(file) && /NumberFormat|B\(\?=|u202f/.test(readFileSync(join(web, file), 'utf8')))
  expect(own).toEqual([])
})
