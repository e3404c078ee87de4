import { describe, expect, test } from 'vitest'
import { formatCountdown } from './duration.ts'
import { formatMoment } from './moment.ts'

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
