/** Tests for which orders a page offers the refund that the solver agrees to. */
import { type AssetFacts, assetFacts, type OrderRecord } from '@tandem/sdk'
import { expect, test } from 'vitest'
import { mayCancel } from './may-cancel.ts'

const order = (status: OrderRecord['status'], source: object = {}) => ({ status, source_swap: source }) as OrderRecord
const facts = (hasInstantRefund: boolean) => ({ hasInstantRefund }) as AssetFacts

test('a paid order that is not filled yet may be cancelled', () => {
  expect(mayCancel(order('initiated'), facts(true))).toBe(true)
  expect(mayCancel(order('created'), facts(true))).toBe(false)
  expect(mayCancel(order('counterparty_initiated'), facts(true))).toBe(false)
  expect(mayCancel(null, facts(true))).toBe(false)
})

test('what lies at a deposit address is not locked, so there is nothing to cancel yet', () => {
  const at = (filled: string) => order('initiate_detected', { deposit_address: '0x12', filled_amount: filled })
  expect(mayCancel(at('0'), facts(true))).toBe(false)
  expect(mayCancel(at('100'), facts(true))).toBe(true)
})

test('an order may not be cancelled where no consent ends an HTLC early', () => {
  expect(mayCancel(order('initiated'), facts(false))).toBe(false)
  expect(mayCancel(order('initiated'), null)).toBe(true)
})

test.each([
  ['xrpl_localnet:xrp', false],
  ['solana_localnet:sol', true],
  ['bitcoin_regtest:btc', true],
])('%s: an instant refund is possible: %s', async (asset, isPossible) => {
  expect((await assetFacts(asset))?.hasInstantRefund).toBe(isPossible)
})
