/** Tests how the operator page writes figures. */
import { expect, test } from 'vitest'
import { formatCoins, formatCount, formatDollars, formatShort, groupAmounts } from './format.ts'

const S = '\u202f'

test('figures have the thousands of all pages', () => {
  expect([formatCount(12_345), formatShort(1234), formatCoins('1234567.12345678'), formatDollars('1234.5')]).toEqual([
    `12${S}345`,
    `1${S}234`,
    `1${S}234${S}567.123456`,
    `1${S}235`,
  ])
})

test('in a sentence amounts are grouped, and nothing else', () => {
  expect(groupAmounts('source initiate with 12345.6789 USDC, block 1234567')).toBe(
    `source initiate with 12${S}345.6789 USDC, block 1234567`,
  )
  expect(groupAmounts('0x12345678 of 2026-01-02')).toBe('0x12345678 of 2026-01-02')
})
