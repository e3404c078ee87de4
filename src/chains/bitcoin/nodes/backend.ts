/** The one port to a Bitcoin network: what we ask of a node, whichever software answers. Everything rejects with `ChainFailure('unreachable')` when it does not. */
import type { Block } from '../../../protocol/chain.ts'
import type { WatchedSwaps } from '../../port/watched-swaps.ts'
import type { SeenTransaction } from '../events.ts'
import type { Outpoint, ParsedTransaction, TransactionOutput } from '../script/transaction.ts'
import type { FeeRate, Replaced } from '../wallet/fees.ts'

export interface BitcoinBackend {
  tip(): Promise<Block>
  /** null above the tip. */
  blockAt(height: bigint): Promise<Block | null>
  /** Transactions of blocks [from, to] that pay a watched swap, or spend a deposit that is known or that one of them made, in chain order. */
  transactionsIn(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly SeenTransaction[]>
  /** The same for transactions without a block, in no order. */
  unconfirmed(watched: WatchedSwaps): Promise<readonly ParsedTransaction[]>
  /** Where this transaction is now. `null` proves nothing about transactions whose outputs are all spent. */
  placeOf(transaction: ParsedTransaction): Promise<Place | null>
  /** What is known about an output: see `OutputState`. */
  output(outpoint: Outpoint): Promise<OutputState>
  /** Who spent it; null when nobody was found in the mempool and in blocks since `since` (unix seconds). */
  spenderOf(outpoint: Outpoint, since: bigint): Promise<Spender | null>
  /** The amount and script of an output that is unspent, or spent only by unconfirmed transactions; null if the node cannot find it. */
  contentOf(outpoint: Outpoint): Promise<TransactionOutput | null>
  /** What an unconfirmed transaction pays; null when it is not in the mempool. */
  unconfirmedFee(txid: string): Promise<Replaced | null>
  /** Coins of an address that could be spent now: mined and mature, or unconfirmed change of its own transactions. Not spent in the mempool. Of very many perhaps only the largest. */
  coinsOf(address: string): Promise<readonly Coin[]>
  /** Satoshis per 1000 vB for being mined within `targetBlocks`, unbounded; null when the node has seen too little. */
  estimateFeeRate(targetBlocks: number): Promise<FeeRate | null>
  /** Below this it takes no transaction now; 0 where that cannot be asked. */
  minimumFeeRate(): Promise<FeeRate>
  broadcast(raw: string): Promise<BroadcastResult>
  close(): Promise<void>
}

/** What one node can be asked in addition, by which it is checked against others. */
export interface BitcoinNode extends BitcoinBackend {
  genesisHash(): Promise<string>
  /** Null when it does not know the block, has pruned it, or gives no raw blocks at all. */
  rawBlock(hash: string): Promise<Uint8Array | null>
}

export type Place = 'mempool' | 'block'

/** `missing`: spent, or never heard of. Unspent outputs of unconfirmed transactions have 0 confirmations. */
export type OutputState = { readonly state: 'unspent'; readonly confirmations: bigint } | { readonly state: 'missing' }

export type Spender = { readonly txid: string; readonly confirmations: bigint }

export type Coin = {
  readonly outpoint: Outpoint
  readonly amount: bigint
  readonly isConfirmed: boolean
}

/** `reason`: the node's own words. */
export type BroadcastResult = { readonly accepted: true } | { readonly accepted: false; readonly reason: string }
