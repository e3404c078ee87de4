/** Defines the port to a Bitcoin network. Its methods reject with `ChainFailure('unreachable')` when no node answers. */
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { FeeRate, ReplacedFee } from '../../terms/wallet/fees.ts'
import type { SeenTransaction } from '../events.ts'
import type { Outpoint, ParsedTransaction, TransactionOutput } from '../script/transaction.ts'

export interface BitcoinBackend {
  tip(): Promise<Block>
  /** A backend of several nodes has this method: see `AgreedBlocks.tipHint`. */
  tipHint?(): Promise<Block>
  blockAt(height: bigint): Promise<Block | null>
  /** The headers are all of one branch. Heights above the tip have none. */
  headers(heights: readonly bigint[]): Promise<readonly Block[]>
  /** The transactions pay a watched swap, or spend a known deposit or one of these deposits. They are in chain order. */
  transactionsIn(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly SeenTransaction[]>
  /** Such transactions are found in one block, by its hash. The promise rejects when no node has the block. */
  transactionsOf(watched: WatchedSwaps, block: Pick<Block, 'height' | 'hash'>): Promise<readonly SeenTransaction[]>
  unconfirmed(watched: WatchedSwaps): Promise<readonly ParsedTransaction[]>
  /** The transaction may be in the mempool or in a block. A null proves nothing if all its outputs are spent. */
  placeOf(transaction: ParsedTransaction): Promise<Place | null>
  output(outpoint: Outpoint): Promise<OutputState>
  /** The result is null if the output is spent, in a block or in the mempool, or missing. Unlike `output` it needs a quorum. */
  unspentOutput(outpoint: Outpoint): Promise<TransactionOutput | null>
  /** The result is null when no spender is found in the mempool and in blocks since `since` (unix seconds). */
  spenderOf(outpoint: Outpoint, since: bigint): Promise<Spender | null>
  /** The output may be spent by unconfirmed transactions. The result is null if the node cannot find it. */
  contentOf(outpoint: Outpoint): Promise<TransactionOutput | null>
  unconfirmedFee(txid: string): Promise<ReplacedFee | null>
  /**
   * The coins are mined and mature, or unconfirmed change of the address's own transactions, and not spent in the mempool. If there are
   * very many, the list may have only the largest.
   */
  coinsOf(address: string): Promise<readonly Coin[]>
  /** The rate is in satoshis per 1000 vB for being mined within `targetBlocks`. It has no bounds. It is null without enough data. */
  estimateFeeRate(targetBlocks: number): Promise<FeeRate | null>
  /** The rate is 0 where a node cannot be asked. */
  minimumFeeRate(): Promise<FeeRate>
  broadcast(raw: string): Promise<BroadcastResult>
  close(): Promise<void>
}

export interface BitcoinNode extends BitcoinBackend {
  genesisHash(): Promise<string>
  /** The node says the hash of block 1. It is null if the node has no such block yet. */
  secondHash(): Promise<string | null>
  /** The result is null when the node does not know the block, has pruned it, or gives no raw blocks at all. */
  rawBlock(hash: string): Promise<Uint8Array | null>
}

export type Place = 'mempool' | 'block'

/** `missing` means spent or unknown. Unspent outputs of unconfirmed transactions have 0 confirmations. */
export type OutputState = { readonly state: 'unspent'; readonly confirmations: bigint } | { readonly state: 'missing' }

export type Spender = { readonly txid: string; readonly confirmations: bigint }

export type Coin = {
  readonly outpoint: Outpoint
  readonly amount: bigint
  readonly isConfirmed: boolean
}

/** `isPartlyAccepted` means that fewer nodes than the quorum accepted it, or some failed and may have accepted it. */
export type BroadcastResult =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string; readonly isPartlyAccepted?: true }
