// Calldata and typed data of the Starknet contract have ceilings, so that a change that costs users money fails.
import {
  approveCall,
  type Call,
  initiateCall,
  initiateOnBehalfCall,
  initiateWithSignatureCall,
  instantRefundCall,
  redeemCall,
  refundCall,
} from '@tandem/starknet/contract/client/calls.ts'
import { type Felt, felt, shortString } from '@tandem/starknet/contract/client/felt.ts'
import type { Deployment, OrderTerms } from '@tandem/starknet/contract/client/order.ts'
import { initiateTypedData, refundTypedData } from '@tandem/starknet/contract/client/typed-data.ts'
import { executeCalldata } from '@tandem/starknet/server/send/transaction.ts'
import { expect, it } from 'vitest'

interface StarknetRow {
  readonly operation: string
  readonly callFelts: number
  readonly transactionFelts: number
  /** A wallet signs this message, here as JSON without spaces. It is null if nothing but the transaction is signed. */
  readonly typedDataBytes: number | null
}

/** The address has 63 digits, like most. */
const addressOf = (seed: bigint): Felt => felt(2n ** 250n + seed)
const htlc = addressOf(1n)
const token = addressOf(2n)
const deployment: Deployment = { chainId: shortString('SN_MAIN'), address: htlc }
const hash = 'a5'.repeat(32)
const terms: OrderTerms = {
  initiator: addressOf(3n),
  redeemer: addressOf(4n),
  timelock: 86_400n,
  amount: 100_000_000n,
  secretHash: hash,
}
/** The account has one key. */
const signature = [addressOf(5n), addressOf(6n)]

interface Operation {
  readonly operation: string
  /** The last call of the transaction is the HTLC's. */
  readonly calls: readonly Call[]
  readonly typedData?: object
}

const operations: readonly Operation[] = [
  { operation: 'approve and initiate', calls: [approveCall(token, htlc, terms.amount), initiateCall(htlc, terms)] },
  { operation: 'initiate, approved before', calls: [initiateCall(htlc, terms)] },
  { operation: 'initiate on behalf, approved before', calls: [initiateOnBehalfCall(htlc, terms)] },
  {
    operation: 'initiate with signature',
    calls: [initiateWithSignatureCall(htlc, terms, signature)],
    typedData: initiateTypedData(deployment, terms),
  },
  { operation: 'redeem', calls: [redeemCall(htlc, terms, hash)] },
  { operation: 'refund', calls: [refundCall(htlc, terms)] },
  { operation: 'instant refund, sent by the redeemer', calls: [instantRefundCall(htlc, terms, [])] },
  {
    operation: 'instant refund with signature',
    calls: [instantRefundCall(htlc, terms, signature)],
    typedData: refundTypedData(deployment, terms),
  },
]

function measureStarknet(): readonly StarknetRow[] {
  return operations.map(({ operation, calls, typedData }) => ({
    operation,
    callFelts: calls.at(-1)?.calldata.length ?? 0,
    transactionFelts: executeCalldata({ calls }).length,
    typedDataBytes: typedData === undefined ? null : Buffer.byteLength(JSON.stringify(typedData)),
  }))
}

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
