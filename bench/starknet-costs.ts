// Counts the felts and bytes of every operation of the Starknet contract, as the client writes them.
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

export interface StarknetRow {
  readonly operation: string
  /** Of the HTLC's own call. */
  readonly callFelts: number
  /** Of the transaction of the account that sends it. */
  readonly transactionFelts: number
  /** Of the message that a wallet signs, as JSON without spaces. Null: nothing is signed but the transaction. */
  readonly typedDataBytes: number | null
}

/** 63 digits, as most addresses have. */
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
/** Of an account with one key. */
const signature = [addressOf(5n), addressOf(6n)]

interface Operation {
  readonly operation: string
  /** In one transaction; the last one is the HTLC's. */
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

export function measureStarknet(): readonly StarknetRow[] {
  return operations.map(({ operation, calls, typedData }) => ({
    operation,
    callFelts: calls.at(-1)?.calldata.length ?? 0,
    transactionFelts: executeCalldata({ calls }).length,
    typedDataBytes: typedData === undefined ? null : Buffer.byteLength(JSON.stringify(typedData)),
  }))
}
