/** The port to a Bitcoin network, for every kind of node. Every method rejects with `ChainFailure('unreachable')` when no node answers. */

import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { FeeRate, ReplacedFee } from '../../terms/wallet/fees.ts'
import type { SeenTransaction } from '../events.ts'
import type { Outpoint, ParsedTransaction, TransactionOutput } from '../script/transaction.ts'

export interface BitcoinBackend {
  tip(): Promise<Block>
  /** With several nodes: see `AgreedBlocks.glimpse`. */
  glimpse?(): Promise<Block>
  /** null above the tip. */
  blockAt(height: bigint): Promise<Block | null>
  /** The headers at these heights, all of one branch; without any above the tip. */
  headers(heights: readonly bigint[]): Promise<readonly Block[]>
  /** Transactions of blocks [from, to] that pay a watched swap, or spend a known deposit or one of these deposits, in chain order. */
  transactionsIn(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly SeenTransaction[]>
  /** The same in one block, by its hash. Rejects when no node has it. */
  transactionsOf(watched: WatchedSwaps, block: Pick<Block, 'height' | 'hash'>): Promise<readonly SeenTransaction[]>
  /** The same for transactions without a block, in no order. */
  unconfirmed(watched: WatchedSwaps): Promise<readonly ParsedTransaction[]>
  /** Whether this transaction is in the mempool or in a block. `null` proves nothing if all its outputs are spent. */
  placeOf(transaction: ParsedTransaction): Promise<Place | null>
  output(outpoint: Outpoint): Promise<OutputState>
  /** The amount and script of an output that nothing spends, in a block or in the mempool; null: it is spent, or there is none. Unlike `output` it needs a quorum. */
  unspentOutput(outpoint: Outpoint): Promise<TransactionOutput | null>
  /** The transaction that spent it; null when none is found in the mempool and in blocks since `since` (unix seconds). */
  spenderOf(outpoint: Outpoint, since: bigint): Promise<Spender | null>
  /** The amount and script of an output that is unspent, or spent only by unconfirmed transactions; null if the node cannot find it. */
  contentOf(outpoint: Outpoint): Promise<TransactionOutput | null>
  /** The fee of an unconfirmed transaction; null when it is not in the mempool. */
  unconfirmedFee(txid: string): Promise<ReplacedFee | null>
  /** UTXOs of an address that are spendable now: mined and mature, or unconfirmed change of its own transactions; not spent in the mempool. If there are very many, perhaps only the largest. */
  coinsOf(address: string): Promise<readonly Coin[]>
  /** Satoshis per 1000 vB for being mined within `targetBlocks`, unbounded; null without enough data. */
  estimateFeeRate(targetBlocks: number): Promise<FeeRate | null>
  /** The current minimum fee rate of the mempool; 0 where that cannot be asked. */
  minimumFeeRate(): Promise<FeeRate>
  broadcast(raw: string): Promise<BroadcastResult>
  close(): Promise<void>
}

/** Further methods of a single node, to verify it. */
export interface BitcoinNode extends BitcoinBackend {
  genesisHash(): Promise<string>
  /** Of block 1, as the node says it; null if it has none yet. */
  secondHash(): Promise<string | null>
  /** Null when it does not know the block, has pruned it, or gives no raw blocks at all. */
  rawBlock(hash: string): Promise<Uint8Array | null>
}

export type Place = 'mempool' | 'block'

/** `missing`: spent or unknown. Unspent outputs of unconfirmed transactions have 0 confirmations. */
export type OutputState = { readonly state: 'unspent'; readonly confirmations: bigint } | { readonly state: 'missing' }

export type Spender = { readonly txid: string; readonly confirmations: bigint }

export type Coin = {
  readonly outpoint: Outpoint
  readonly amount: bigint
  readonly isConfirmed: boolean
}

/** `reason`: in the node's words. `isPartlyAccepted`: some nodes accepted it, fewer than the quorum, or failed and may have. */
export type BroadcastResult =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string; readonly isPartlyAccepted?: true }
