// Shows blocks, transactions and receipts as nodes do.
import type { Ledger, MinedTransaction } from '../chain/ledger.ts'
import type { GasPrices } from '../execution/gas.ts'
import { revertText } from '../execution/panic.ts'
import { hex, hexes } from '../felt.ts'
import { type FoundBlock, isClosed } from './params.ts'

const STARKNET_VERSION = '0.14.0'
/** The rate is in FRI per WEI, because nodes give both prices. */
const FRI_PER_WEI = 10_000n
const UNKNOWN = '0x0'

export function statusOf(ledger: Ledger, block: FoundBlock): 'PRE_CONFIRMED' | 'ACCEPTED_ON_L2' | 'ACCEPTED_ON_L1' {
  if (!isClosed(block)) return 'PRE_CONFIRMED'
  return block.number <= ledger.l1Height() ? 'ACCEPTED_ON_L1' : 'ACCEPTED_ON_L2'
}

export function headerJson(block: FoundBlock, sequencer: bigint) {
  const common = {
    block_number: block.number,
    timestamp: block.timestamp,
    sequencer_address: hex(sequencer),
    ...pricesJson(block.prices),
    l1_da_mode: 'BLOB',
    starknet_version: STARKNET_VERSION,
  }
  if (!isClosed(block)) return common
  return {
    block_hash: hex(block.hash),
    parent_hash: hex(block.parentHash),
    // The simulator has no tries, so every root only names the block.
    new_root: hex(block.hash >> 1n),
    ...common,
    event_commitment: UNKNOWN,
    transaction_commitment: UNKNOWN,
    receipt_commitment: UNKNOWN,
    state_diff_commitment: UNKNOWN,
    event_count: block.transactions.reduce((sum, { events }) => sum + events.length, 0),
    transaction_count: block.transactions.length,
    state_diff_length: 0,
  }
}

function pricesJson(prices: GasPrices) {
  const price = (fri: bigint) => ({ price_in_fri: hex(fri), price_in_wei: hex(fri / FRI_PER_WEI) })
  return { l1_gas_price: price(prices.l1Gas), l1_data_gas_price: price(prices.l1DataGas), l2_gas_price: price(prices.l2Gas) }
}

export function transactionJson({ transaction }: Pick<MinedTransaction, 'transaction'>) {
  return { ...transaction.json, transaction_hash: hex(transaction.hash) }
}

export function receiptJson(ledger: Ledger, { transaction, events, gas, fee, revert }: MinedTransaction, block: FoundBlock) {
  return {
    type: transaction.type,
    transaction_hash: hex(transaction.hash),
    actual_fee: { amount: hex(fee), unit: 'FRI' },
    finality_status: statusOf(ledger, block),
    messages_sent: [],
    events: events.map(({ address, keys, data }) => ({ from_address: hex(address), keys: hexes(keys), data: hexes(data) })),
    execution_resources: { l1_gas: Number(gas.l1Gas), l1_data_gas: Number(gas.l1DataGas), l2_gas: Number(gas.l2Gas) },
    ...(transaction.type === 'DEPLOY_ACCOUNT' && { contract_address: hex(transaction.sender) }),
    ...(revert === null ? { execution_status: 'SUCCEEDED' } : { execution_status: 'REVERTED', revert_reason: revertText(revert) }),
  }
}

export function blockPlaceJson(block: FoundBlock) {
  return { ...(isClosed(block) && { block_hash: hex(block.hash) }), block_number: block.number }
}
