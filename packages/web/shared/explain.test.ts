/** Tests that every error becomes a plain sentence. */
import { errorStatus } from '@tandem/protocol/error.ts'
import * as sdk from '@tandem/sdk'
import { expect, test } from 'vitest'
import { errors as texts } from '../texts.ts'
import { formatAmount } from './amount.ts'
import { explain, type Names, SaidError } from './explain.ts'

const symbol = (asset: string) => asset.split(':')[1]?.toUpperCase() ?? ''
const names: Names = { symbol, amount: (asset, units) => `${formatAmount(units, 8)} ${symbol(asset)}`, chain: () => 'Ethereum' }
const CHAIN = 'ethereum_localnet'
const NOT_POSSIBLE = Object.keys(texts.notPossible) as sdk.NotPossible[]
/** A message that the service and the SDK write for programs. */
const RAW = `from_amount must be from 10000 to 100000000 in the smallest unit of ${CHAIN}:wbtc, got 7996419`

/** Every way to make an error, by class. A class of the SDK that is missing here fails the test below. */
const made: Readonly<Record<string, readonly unknown[]>> = {
  NetworkError: [new sdk.NetworkError(RAW)],
  NodeError: [new sdk.NodeError(RAW)],
  AddressError: [new sdk.AddressError('its checksum is wrong')],
  AlreadyPaidError: [new sdk.AlreadyPaidError('ab'.repeat(32))],
  UnpaidError: [new sdk.UnpaidError('ab', CHAIN, 'refunded'), new sdk.UnpaidError('ab', CHAIN, 'unpaid')],
  UnredeemedError: [new sdk.UnredeemedError('ab', CHAIN, null)],
  StorageError: [new sdk.StorageError(RAW)],
  VerificationError: [new sdk.VerificationError('source_swap.timelock', 144n, 7_996_419n)],
  InsufficientFundsError: [new sdk.InsufficientFundsError('bitcoin_regtest:btc', 7_996_419n, 50_000_578n)],
  NotPossibleError: NOT_POSSIBLE.map((reason) => new sdk.NotPossibleError(reason, CHAIN, RAW)),
  RescueInputError: [new sdk.RescueInputError('this is not a rescue file')],
}

const codes = Object.keys(errorStatus) as (keyof typeof errorStatus)[]
const apiErrors = codes.map((code) => sdk.errorOf(code, RAW, { httpStatus: 400, retryAfterSeconds: null }))

/** Field names, codes, ids of chains and smallest units are not for people. */
const MACHINE = /[a-z]_[a-z]|(?<![.\d])\d{5,}|smallest unit|undefined|\[object|0x/

function expectWords(error: unknown): string {
  const { text, details } = explain(error, names)
  expect(text).toMatch(/^[A-Z].*[.]$/)
  expect(text.replaceAll('\u202f', '')).not.toMatch(MACHINE)
  if (details !== null) expect(details).not.toBe('')
  return text
}

test.each(apiErrors.map((error) => [error.code, error] as const))('the code %s', (_, error) => {
  const text = expectWords(error)
  expect(text).not.toBe(texts.unknown)
  expect(explain(error, names).details).toBe(`${error.code}: ${RAW}`)
})

test.each(Object.entries(made).flatMap(([name, all]) => all.map((error) => [name, error] as const)))('the class %s', (name, error) => {
  expect((error as Error).name).toBe(name)
  expect(expectWords(error)).not.toBe(texts.unknown)
})

test('every class of the SDK is among them', () => {
  const classes = Object.entries(sdk).filter(([, one]) => typeof one === 'function' && one.prototype instanceof Error)
  const ofCodes = new Set(apiErrors.map((error) => error.constructor.name))
  const others = classes.map(([name]) => name).filter((name) => !ofCodes.has(name) && name !== 'ApiError')
  expect(others.toSorted()).toEqual(Object.keys(made).toSorted())
  expect(NOT_POSSIBLE).toHaveLength(5)
})

test('amounts are in coins', () => {
  expect(explain(made.InsufficientFundsError?.[0], names).text).toBe(
    'Not enough BTC: you have 0.07996419 BTC, you need 0.50000578 BTC with the network fee.',
  )
})

test('the seconds to wait are named', () => {
  const error = sdk.errorOf('rate_limited', RAW, { httpStatus: 429, retryAfterSeconds: 40 })
  expect(explain(error, names).text).toBe('Too many requests. Try again in 40 s.')
})

test.each([
  [
    'a code that this page does not know',
    sdk.errorOf('new_code' as never, RAW, { httpStatus: 400, retryAfterSeconds: null }),
    `new_code: ${RAW}`,
  ],
  ['an error of a library', new Error(RAW), RAW],
  ['an error without a message', new TypeError(''), 'TypeError'],
  ['an object', { message: RAW, code: -32_000 }, RAW],
  ['a text', RAW, RAW],
  ['nothing', undefined, 'undefined'],
])('%s is a plain sentence with details', (_, error, details) => {
  expect(explain(error, names)).toEqual({ text: texts.unknown, details })
  expectWords(error)
})

test.each([
  ['4001', { code: 4001, message: RAW }, texts.wallet.refused],
  ['4100', { code: 4100, message: RAW }, texts.wallet.locked],
  ['4902 as a cause', new Error(RAW, { cause: new Error('x', { cause: { code: 4902 } }) }), texts.wallet.network],
  ['a name', Object.assign(new Error(RAW), { name: 'UserRejectedRequestError' }), texts.wallet.refused],
  [
    'too few coins, as a cause',
    new Error(RAW, { cause: Object.assign(new Error(), { name: 'InsufficientFundsError' }) }),
    texts.wallet.fee,
  ],
])('an answer of a wallet: %s', (_, error, text) => {
  expect(explain(error, names)).toEqual({ text, details: RAW })
})

test('texts of the page itself are shown as they are', () => {
  expect(explain(new SaidError('Name your address first.'), names)).toEqual({ text: 'Name your address first.', details: null })
})
