/** Tests the funding part of an order on the wire. */
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { Calls } from './calls.ts'
import { CreateOrderResult, type Funding, fundingToWire } from './funding.ts'

const once = { orderToken: 'token', refundPackage: { privateKey: '01' } }

function write(funding: Funding, told: typeof once | null = null) {
  const result = fundingToWire('ab', told, funding)
  expect(Check(CreateOrderResult, result)).toBe(true)
  return result
}

describe('a deposit', () => {
  const deposit = { kind: 'deposit', to: 'address', amount: 2n ** 70n } as const

  test('is an address and an amount', () => {
    expect(write(deposit)).toEqual({ order_id: 'ab', to: 'address', amount: (2n ** 70n).toString() })
  })

  test('comes with the order token and the refund package the first time only', () => {
    expect(write(deposit, once)).toEqual({ ...write(deposit), order_token: 'token', refund_package: { privateKey: '01' } })
  })
})

describe('calls', () => {
  const call = (data: string) => ({ chainId: 7, to: 'contract', data, value: 10n, gasLimit: 255n })
  const calls = { kind: 'calls', numbers: 'hex', approval: null, initiate: call('i'), typedData: null } as const
  const hex = (data: string) => ({ chain_id: 7, to: 'contract', data, value: '0xa', gas_limit: '0xff' })

  test('omit the transactions that are not needed', () => {
    expect(write(calls)).toEqual({ order_id: 'ab', approval_transaction: null, initiate_transaction: hex('i'), typed_data: null })
  })

  test('come with the order token, and never with a refund package', () => {
    expect(write(calls, once)).toEqual({ ...write(calls), order_token: 'token' })
  })

  test('are written in sending order, with numbers in hex or decimal as the chain wants', () => {
    const all: Calls = {
      numbers: 'hex',
      transfer: call('t'),
      approvalReset: call('r'),
      approval: call('a'),
      initiate: call('i'),
      reclaim: call('c'),
      typedData: { primaryType: 'Initiate' },
    }
    const result = write({ kind: 'calls', ...all })
    expect(Object.entries(result)).toEqual([
      ['order_id', 'ab'],
      ['core_to_evm_transfer', hex('t')],
      ['approval_reset_transaction', hex('r')],
      ['approval_transaction', hex('a')],
      ['initiate_transaction', hex('i')],
      ['reclaim_transaction', hex('c')],
      ['typed_data', { primaryType: 'Initiate' }],
    ])
    const decimal = { ...hex('i'), value: '10', gas_limit: '255' }
    expect(write({ kind: 'calls', ...all, numbers: 'decimal' })).toMatchObject({ initiate_transaction: decimal })
  })
})

describe('calls of field elements', () => {
  const call = (selector: string) => ({ to: '0x1', selector, calldata: ['0x2', '0x3'] })
  const feltCalls = {
    kind: 'feltCalls',
    approval: call('0xa'),
    approvalRequired: true,
    initiate: call('0xb'),
    typedData: { primaryType: 'Initiate' },
  } as const

  test('are written with typed data, and with an approval also where none is required', () => {
    const typed_data = { primaryType: 'Initiate' }
    expect(write(feltCalls)).toEqual({
      order_id: 'ab',
      approval_transaction: call('0xa'),
      approval_required: true,
      initiate_transaction: call('0xb'),
      typed_data,
    })
    expect(write({ ...feltCalls, approvalRequired: false }, once)).toEqual({
      order_id: 'ab',
      order_token: 'token',
      approval_transaction: call('0xa'),
      approval_required: false,
      initiate_transaction: call('0xb'),
      typed_data,
    })
  })
})

describe('a versioned transaction', () => {
  const versioned = { kind: 'versionedTransaction', transaction: 'AQAB', gasless: 'AgAB' } as const

  test('is written with its gasless form, or null where there is none', () => {
    expect(write(versioned)).toEqual({ order_id: 'ab', versioned_tx: 'AQAB', versioned_tx_gasless: 'AgAB' })
    expect(write({ ...versioned, gasless: null })).toMatchObject({ versioned_tx: 'AQAB', versioned_tx_gasless: null })
  })

  test('comes with the order token, and never with a refund package', () => {
    expect(write(versioned, once)).toEqual({ ...write(versioned), order_token: 'token' })
  })
})

test('a programmable transaction is its bytes as numbers', () => {
  const funding = { kind: 'programmableTransaction', bytes: Uint8Array.of(0, 1, 255) } as const
  expect(write(funding, once)).toEqual({ order_id: 'ab', order_token: 'token', ptb_bytes: [0, 1, 255] })
})

describe('an escrow', () => {
  const escrow = {
    kind: 'escrow',
    account: 'payer',
    destination: 'payee',
    tag: null,
    amount: 25_000_000n,
    condition: 'A025',
    cancelAfter: 800_000_000,
  } as const
  const written = {
    TransactionType: 'EscrowCreate',
    Account: 'payer',
    Destination: 'payee',
    Amount: '25000000',
    Condition: 'A025',
    CancelAfter: 800_000_000,
  }

  test('is one transaction, with a tag only if there is one: 0 is a tag', () => {
    expect(write(escrow)).toEqual({ order_id: 'ab', escrow_create_tx: written })
    expect(write({ ...escrow, tag: 0 })).toEqual({ order_id: 'ab', escrow_create_tx: { ...written, DestinationTag: 0 } })
  })

  test('comes with the order token, and never with a refund package', () => {
    expect(write(escrow, once)).toEqual({ ...write(escrow), order_token: 'token' })
  })
})
