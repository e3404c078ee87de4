/** Tests how amounts are parsed and written. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideRoundingUp, formatUnits, formatUsd, formatUsdPrice, parseAmount, parseUnits, parseUsdPrice, usdMicros } from './amount.ts'
import { parseAssetId } from './asset.ts'

const UINT256_MAX = 2n ** 256n - 1n

describe('parseAmount', () => {
  it('takes positive integers up to a uint256', () => {
    expect(parseAmount('1')).toBe(1n)
    expect(parseAmount('100000000')).toBe(100_000_000n)
    expect(parseAmount(UINT256_MAX.toString())).toBe(UINT256_MAX)
  })

  it.each([
    ['zero', '0'],
    ['nothing', ''],
    ['a float', '1.5'],
    ['a float of zeros', '1.0'],
    ['an exponent', '1e8'],
    ['hex', '0x10'],
    ['a minus', '-1'],
    ['a plus', '+1'],
    ['a leading zero', '01'],
    ['a separator', '1_000'],
    ['a comma', '1,000'],
    ['a space before', ' 1'],
    ['a line break after', '1\n'],
    ['Arabic digits', '١٢٣'],
    ['full-width digits', '１２'],
    ['words', 'NaN'],
    ['one more than a uint256', (UINT256_MAX + 1n).toString()],
    ['10^80', `1${'0'.repeat(80)}`],
  ])('refuses %s', (_, text) => {
    expect(() => parseAmount(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })

  it('names the field and quotes at most one line of the value', () => {
    expect(() => parseAmount('1.5', 'from_amount')).toThrow(
      'from_amount must be a positive integer in the smallest unit as a decimal string, got "1.5"',
    )
    expect(() => parseAmount('9'.repeat(10_000))).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,200}$/) }))
  })
})

describe('formatUnits', () => {
  it.each([
    [150_000_000n, 8, '1.5'],
    [100_000_000n, 8, '1'],
    [1n, 8, '0.00000001'],
    [0n, 8, '0'],
    [12_345n, 0, '12345'],
    [10n, 0, '10'],
    [1n, 18, '0.000000000000000001'],
    [UINT256_MAX, 18, '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
  ])('%s with %s decimals is %s', (amount, decimals, text) => {
    expect(formatUnits(amount, decimals)).toBe(text)
  })

  it('is exact', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: UINT256_MAX }), fc.integer({ min: 0, max: 30 }), (amount, decimals) => {
        const [whole = '', fraction = ''] = formatUnits(amount, decimals).split('.')
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount)
      }),
    )
  })
})

describe('US dollars', () => {
  it('parses a price exactly and prints it back', () => {
    expect(parseUsdPrice('61250.5')).toBe(6_125_050_000_000n)
    expect(parseUsdPrice('0.00000001')).toBe(1n)
    expect(formatUsdPrice(parseUsdPrice('61250.5'))).toBe('61250.5')
  })

  it.each(['', '-1', '1.', '.5', '01', '1e5', '1.123456789', 'NaN', '１'])('refuses "%s" as a price', (text) => {
    expect(() => parseUsdPrice(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })

  it('values an amount in millionths, rounded down', () => {
    expect(usdMicros(150_000_000n, 8, parseUsdPrice('61250.5'))).toBe(91_875_750_000n)
    // One satoshi at 99,999.99 dollars is 0.0009999999 dollars: 999 millionths, not 1,000.
    expect(usdMicros(1n, 8, parseUsdPrice('99999.99'))).toBe(999n)
    expect(usdMicros(1n, 18, parseUsdPrice('4000'))).toBe(0n)
    expect(usdMicros(3n, 0, parseUsdPrice('0.0000005'))).toBe(1n)
  })

  it.each([
    [1_500_000n, '1.50'],
    [2_000_000n, '2.00'],
    [1_234_567n, '1.234567'],
    [1_230_000n, '1.23'],
    [1n, '0.000001'],
    [0n, '0.00'],
  ])('prints %s millionths as %s', (micros, text) => {
    expect(formatUsd(micros)).toBe(text)
  })
})

describe('divideRoundingUp', () => {
  it.each([
    [0n, 3n, 0n],
    [1n, 3n, 1n],
    [3n, 3n, 1n],
    [4n, 3n, 2n],
  ])('%s / %s is %s', (numerator, denominator, quotient) => {
    expect(divideRoundingUp(numerator, denominator)).toBe(quotient)
  })
})

describe('parseAssetId', () => {
  it('compares case-insensitively and prints in lower case', () => {
    expect(parseAssetId('Bitcoin_Regtest:BTC')).toBe('bitcoin_regtest:btc')
    expect(parseAssetId('ethereum_localnet:usdc')).toBe('ethereum_localnet:usdc')
  })

  it.each([
    '',
    'btc',
    ':btc',
    'bitcoin:',
    'bitcoin:btc:x',
    'bitcoin btc',
    'bitcoin:btc ',
    'bitcoin:btc\n',
    'bitcoin/btc',
    'bítcoin:btc',
    '../x:y',
  ])('refuses "%s"', (text) => {
    expect(() => parseAssetId(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })
})

it('whole coins are parsed exactly, and anything else is refused', () => {
  expect(parseUnits('1.5', 8)).toBe(150_000_000n)
  expect(parseUnits('0.000001', 6)).toBe(1n)
  expect(parseUnits('1000', 0)).toBe(1000n)
  for (const wrong of ['', '-1', '1e3', '.5', '1.', '1,5', ' 1'])
    expect(() => parseUnits(wrong, 6), wrong).toThrow('takes a decimal number')
  expect(() => parseUnits('0.0000001', 6)).toThrow('has more than 6 decimals')
  expect(() => parseUnits('0', 6)).toThrow('is 0')
})
