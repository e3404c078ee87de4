/** Tests how pages write numbers, amounts and times. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatAmount, formatMicros, groupThousands, parseAmount, plainAmount, shareOfUsd } from './amount.ts'
import { formatCountdown } from './duration.ts'
import { formatMoment } from './moment.ts'

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

const at = (iso: string) => Date.parse(iso) / 1000
const shown = (now: string, moment: string, zone = 'Europe/Berlin') => formatMoment(at(moment), at(now), zone, 'en-GB').replaceAll(',', '')

describe('a moment', () => {
  test('of today is a time of the clock, of another day it names the day', () => {
    expect(shown('2026-06-01T10:00:00Z', '2026-06-01T12:05:00Z')).toBe('14:05')
    expect(shown('2026-06-01T10:00:00Z', '2026-06-02T12:05:00Z')).toBe('Tue 2 Jun 14:05')
    // It is another day in Tokyo already.
    expect(shown('2026-06-01T10:00:00Z', '2026-06-01T15:05:00Z', 'Asia/Tokyo')).toBe('Tue 2 Jun 00:05')
  })

  test('over a jump of the clocks it is what the clock shows then, with its zone', () => {
    // 25 October 2026: 03:00 summer time becomes 02:00. Half past two comes twice.
    expect(shown('2026-10-24T22:00:00Z', '2026-10-25T00:30:00Z')).toBe('02:30')
    expect(shown('2026-10-24T22:00:00Z', '2026-10-25T01:30:00Z')).toBe('02:30 CET')
    // 29 March 2026: 02:00 becomes 03:00.
    expect(shown('2026-03-28T18:00:00Z', '2026-03-29T01:30:00Z')).toBe('Sun 29 Mar 03:30 CEST')
    expect(shown('2026-03-08T05:00:00Z', '2026-03-08T07:30:00Z', 'America/New_York')).toMatch(/^03:30 (GMT-4|EDT)$/)
  })
})

test('the time that is left counts seconds, whatever the clocks do', () => {
  expect(formatCountdown(at('2026-10-25T01:30:00Z') - at('2026-10-24T22:00:00Z'))).toBe('3 h 30 min')
  expect(formatCountdown(at('2026-03-29T01:30:00Z') - at('2026-03-28T18:00:00Z'))).toBe('7 h 30 min')
})
