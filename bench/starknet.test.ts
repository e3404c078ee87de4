// Ceilings for calldata and typed data of the Starknet contract, so that a change that costs users money fails.
import { expect, it } from 'vitest'
import { measureStarknet } from './starknet-costs.ts'

const ceilings: Readonly<Record<string, { readonly call: number; readonly transaction: number; readonly typedData: number | null }>> = {
  'approve and initiate': { call: 12, transaction: 22, typedData: null },
  'initiate, approved before': { call: 12, transaction: 16, typedData: null },
  'initiate on behalf, approved before': { call: 13, transaction: 17, typedData: null },
  'initiate with signature': { call: 16, transaction: 20, typedData: 740 },
  redeem: { call: 13, transaction: 17, typedData: null },
  refund: { call: 13, transaction: 17, typedData: null },
  'instant refund, sent by the redeemer': { call: 14, transaction: 18, typedData: null },
  'instant refund with signature': { call: 16, transaction: 20, typedData: 456 },
}

it('no operation of the Starknet contract has more calldata or typed data than its ceiling', () => {
  const rows = measureStarknet()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  for (const { operation, callFelts, transactionFelts, typedDataBytes } of rows) {
    const ceiling = ceilings[operation]
    expect(callFelts, operation).toBeLessThanOrEqual(ceiling?.call ?? 0)
    expect(transactionFelts, operation).toBeLessThanOrEqual(ceiling?.transaction ?? 0)
    expect(typedDataBytes === null, operation).toBe(ceiling?.typedData === null)
    expect(typedDataBytes ?? 0, operation).toBeLessThanOrEqual(ceiling?.typedData ?? 0)
  }
})
