/** What Tandem asks of Sui nodes. One provider and a quorum of providers have the same interface. Blocks are checkpoints. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { Address } from '../../terms/address.ts'

export type NodeEvent = {
  readonly tx: string
  /** Of the event in its transaction. */
  readonly index: number
  /** With a package of 64 digits. */
  readonly type: string
  readonly contents: Uint8Array
}

export type NodeCheckpoint = Block & { readonly events: readonly NodeEvent[] }

/** A version of an object that its owner can spend once. */
export type ObjectRef = { readonly id: Address; readonly version: bigint; readonly digest: string }

export type NodeCoin = ObjectRef & { readonly balance: bigint }

export type NodeObject = {
  /** `package` for packages. */
  readonly type: string
  /** Null unless it is shared. */
  readonly initialSharedVersion: bigint | null
  readonly contents: Uint8Array
}

/** How the chain executed a transaction that failed. It is charged either way. */
export type ExecutionFailure = {
  /** The package and module that aborted, with its code; null for any other failure. */
  readonly abort: { readonly package: string; readonly module: string; readonly code: bigint } | null
  readonly description: string
  /** Others used the same shared object at the same moment, and the validators left it out. */
  readonly isCongested: boolean
}

/** Of an executed transaction. It is final; soon it is in a checkpoint too, which is null until then. */
export type Outcome = { readonly checkpoint: bigint | null; readonly failure: ExecutionFailure | null }

/** In MIST. */
export type GasUsed = { readonly computation: bigint; readonly storage: bigint }

export type Simulation = { readonly failure: ExecutionFailure | null; readonly gas: GasUsed }

export type Epoch = {
  readonly number: bigint
  readonly startMs: bigint
  /** MIST for each unit of computation. It changes with the epoch only. */
  readonly gasPrice: bigint
}

export type CreatedObject = { readonly id: Address; readonly type: string }

/** `isPartlyAccepted`: a provider accepted it, or failed and may have: it may be executed, and its data may be public. */
export type BroadcastVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly isPartlyAccepted: boolean; readonly reason: string }

export type SignedTransaction = {
  /** BCS of the transaction's data. */
  readonly bytes: Uint8Array
  /** Scheme, signature and public key. */
  readonly signature: Uint8Array
}

/** Every method rejects with `ChainFailure('unreachable')` if too few nodes answer or agree. */
export interface SuiNode {
  /** The digest of the first checkpoint, base58. */
  chainId(): Promise<string>

  // Checkpoints.

  /** Null above the newest. */
  block(height: bigint | 'latest'): Promise<Block | null>
  /** With several providers: see `AgreedBlocks.glimpse`. */
  glimpse?(): Promise<Block>
  /** Omits heights above the newest. */
  blocks(heights: readonly bigint[]): Promise<readonly Block[]>
  /** Every checkpoint in [from, to], ascending, with the events of these packages. Rejects if one is missing. */
  checkpoints(from: bigint, to: bigint, packages: readonly Address[]): Promise<readonly NodeCheckpoint[]>

  // State.

  /** Null if it does not exist, or does not any more. */
  object(id: Address): Promise<NodeObject | null>
  /** The newest version of an object; null if it does not exist any more. */
  versionOf(id: Address): Promise<bigint | null>
  /** Bytecode by name; null if there is no package. */
  modules(id: Address): Promise<ReadonlyMap<string, Uint8Array> | null>
  /** BCS of the data of the transaction that published a package; null if there is no package. */
  publication(id: Address): Promise<Uint8Array | null>
  /** The largest coins of an owner, in no order. With several providers: those that a quorum lists. */
  coins(owner: Address, coinType: string): Promise<readonly NodeCoin[]>
  /** In coins. With several providers: rounded down. */
  balance(owner: Address, coinType: string): Promise<bigint>
  /** Null for a type without metadata. */
  decimals(coinType: string): Promise<number | null>
  epoch(): Promise<Epoch>

  // Transactions.

  /** Null if it is not executed, or if the node does not know it. */
  outcome(tx: string): Promise<Outcome | null>
  /** What a transaction in a checkpoint created. */
  created(tx: string): Promise<readonly CreatedObject[]>
  /** BCS of a transaction's data. Without a gas payment the node takes a coin that does not exist. With several providers: the highest gas. */
  simulate(bytes: Uint8Array): Promise<Simulation>
  /** Goes to every provider. The same transaction may be sent any number of times. */
  broadcast(transaction: SignedTransaction): Promise<BroadcastVerdict>
  close(): void
}
