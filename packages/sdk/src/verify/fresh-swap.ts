/** The fields of a swap record before anything has happened. */
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'

/** Nobody has paid, redeemed or refunded: whoever pays for an order that is under way pays twice. */
export const freshSwap = {
  filled_amount: '0',
  secret: '',
  initiate_tx_hash: '',
  redeem_tx_hash: '',
  refund_tx_hash: '',
  initiate_block_number: '0',
  redeem_block_number: '0',
  refund_block_number: '0',
  current_confirmations: 0,
  initiate_timestamp: null,
  redeem_timestamp: null,
  refund_timestamp: null,
} satisfies Partial<SwapRecord>
