/** Declares the methods that Tandem needs of Sui nodes. A quorum has the interface of a provider. Blocks are checkpoints. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { Address } from '../../terms/address.ts'

export type NodeEvent = {
  readonly tx: string
  readonly index: number
  readonly type: string
  readonly contents: Uint8Array
}

export type NodeCheckpoint = Block & { readonly events: readonly NodeEvent[] }

/** The owner of an object can spend a version of it once. */
export type ObjectRef = { readonly id: Address; readonly version: bigint; readonly digest: string }

export type NodeCoin = ObjectRef & { readonly balance: bigint }

export type NodeObject = {
  /** The type is `package` for packages. */
  readonly type: string
  /** The version is null unless the object is shared. */
  readonly initialSharedVersion: bigint | null
  readonly contents: Uint8Array
}

/** The gas is charged even if the transaction fails. */
export type ExecutionFailure = {
  /** The package and module aborted with this code; any other failure has null. */
  readonly abort: { readonly package: string; readonly module: string; readonly code: bigint } | null
  readonly description: string
  /** Others used the same shared object at the same moment, and the validators left this one out. */
  readonly isCongested: boolean
}

/** An executed transaction is final; `checkpoint` is null until it is in one, which is soon. */
export type Outcome = { readonly checkpoint: bigint | null; readonly failure: ExecutionFailure | null }

/** The amounts are in MIST. */
export type GasUsed = { readonly computation: bigint; readonly storage: bigint }

export type Simulation = { readonly failure: ExecutionFailure | null; readonly gas: GasUsed }

export type Epoch = {
  readonly number: bigint
  readonly startMs: bigint
  /** The price is in MIST for each unit of computation. It changes with the epoch only. */
  readonly gasPrice: bigint
}

export type CreatedObject = { readonly id: Address; readonly type: string }

/** `isPartlyAccepted` means that a provider accepted it, or failed and may have: it may be executed, and its data may be public. */
export type BroadcastVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly isPartlyAccepted: boolean; readonly reason: string }

export type SignedTransaction = {
  /** The bytes are BCS of the transaction's data. */
  readonly bytes: Uint8Array
  /** The signature is scheme, signature and public key. */
  readonly signature: Uint8Array
}

/** Every method rejects with `ChainFailure('unreachable')` if too few nodes answer or agree. */
export interface SuiNode {
  /** The id is the digest of the first checkpoint, in base58. */
  chainId(): Promise<string>

  /** The result is null above the newest checkpoint. */
  block(height: bigint | 'latest'): Promise<Block | null>
  /** The method exists with several providers: see `AgreedBlocks.tipHint`. */
  tipHint?(): Promise<Block>
  blocks(heights: readonly bigint[]): Promise<readonly Block[]>
  /** The checkpoints are all in [from, to], ascending, with the events of these packages. Rejects if one is missing. */
  checkpoints(from: bigint, to: bigint, packages: readonly Address[]): Promise<readonly NodeCheckpoint[]>

  object(id: Address): Promise<NodeObject | null>
  /** The version is the newest, or null if the object was deleted. */
  versionOf(id: Address): Promise<bigint | null>
  /** The keys are names of modules. The result is null if there is no package. */
  modules(id: Address): Promise<ReadonlyMap<string, Uint8Array> | null>
  /** The result is BCS of the data of the transaction that published the package, or null if there is no package. */
  publication(id: Address): Promise<Uint8Array | null>
  /** The largest coins are listed, in no order. With several providers, they are those that a quorum lists. */
  coins(owner: Address, coinType: string): Promise<readonly NodeCoin[]>
  balance(owner: Address, coinType: string): Promise<bigint>
  decimals(coinType: string): Promise<number | null>
  epoch(): Promise<Epoch>

  /** The result is null if the transaction is not executed, or if the node does not know it. */
  outcome(tx: string): Promise<Outcome | null>
  created(tx: string): Promise<readonly CreatedObject[]>
  /** Without a gas payment the node uses a coin that does not exist. With several providers the result has the highest gas. */
  simulate(bytes: Uint8Array): Promise<Simulation>
  /** Every provider gets the transaction, which may be sent any number of times. */
  broadcast(transaction: SignedTransaction): Promise<BroadcastVerdict>
  close(): void
}
