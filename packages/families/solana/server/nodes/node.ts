/** Declares the methods that Tandem needs of Solana nodes, all at commitment `confirmed`. A quorum has the interface of a provider. */
import type { Address, Base64EncodedWireTransaction, Blockhash, ReadonlyUint8Array, Signature } from '@solana/kit'
import type { Block } from '@tandem/protocol/chain.ts'
import type { ExecutedInstruction, OrderAccount } from '../../contract/client/decode.ts'

/** `height` is the slot, `ordinal` the block height, which counts without gaps. `hash` can be used as a recent blockhash. */
export type SlotBlock = Block & { readonly ordinal: bigint }

export type NodeAccount = {
  /** Anyone can add lamports. With several providers the number is rounded down. */
  readonly lamports: bigint
  readonly owner: Address
  readonly executable: boolean
  /** With several providers, the data of a token account has the smallest amount. */
  readonly data: ReadonlyUint8Array
}

/** A transaction is valid in blocks up to this block height (`SlotBlock.ordinal`). */
export type Lifetime = { readonly blockhash: Blockhash; readonly lastValidBlockHeight: bigint }

/** The form is that of nodes in JSON: "BlockhashNotFound", or {"InstructionError":[2,{"Custom":6011}]}. */
export type TransactionError = string | { readonly [kind: string]: unknown }

/** The block is confirmed. `error` is null if the transaction succeeded. */
export type Outcome = { readonly slot: bigint; readonly error: TransactionError | null }

export type NodeTransaction = Outcome & {
  readonly signature: Signature
  /** The instructions ran at the top level or were called by other programs, and are in order. A failed transaction has none. */
  readonly instructions: readonly ExecutedInstruction[]
}

export type AccountSignature = { readonly signature: Signature; readonly slot: bigint }

export type SignatureQuery = {
  readonly address: Address
  readonly from: bigint
  readonly to: bigint
  /** The block is the last one at or below `to`. A node on another branch refuses. */
  readonly last: Pick<Block, 'height' | 'hash'>
  /** If more transactions are listed, including failed ones, the answer is null after one page. Without a maximum all of them are read. */
  readonly maxCount?: number
}

export type OrderQuery = {
  readonly program: Address
  readonly addresses: readonly Address[]
  readonly last: Pick<Block, 'height' | 'hash'>
}

export type Simulation = {
  readonly error: TransactionError | null
  readonly logs: readonly string[]
  readonly unitsConsumed: bigint
}

export type SimulationOptions = {
  /** If true, the node uses its newest blockhash instead of the transaction's own. The default is false. */
  readonly replaceBlockhash?: boolean
}

/**
 * accepted              a quorum has the transaction or has mined it already; or fewer do, and nobody refuses it
 * blockhash-not-found   nodes do not know its blockhash: it expired, or they are behind. Only `isExpired` decides which
 * refused               the preflight simulation failed
 *
 * `isPartlyAccepted` means that a provider accepted the transaction, or failed and may have accepted it. It may be mined, and its data may
 * be public.
 */
export type BroadcastVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'blockhash-not-found'; readonly isPartlyAccepted: boolean }
  | { readonly kind: 'refused'; readonly isPartlyAccepted: boolean; readonly error: TransactionError; readonly logs: readonly string[] }

/** Every method rejects with `ChainFailure('unreachable')` if too few nodes answer or agree. */
export interface SolanaNode {
  genesisHash(): Promise<string>

  /** `latest` is the newest confirmed block. The result is null for a slot that was skipped or is not reached. */
  block(slot: bigint | 'latest'): Promise<SlotBlock | null>
  /** The method exists with several providers: see `AgreedBlocks.tipHint`. */
  tipHint?(): Promise<SlotBlock>
  /** Reads one batch and omits slots that were skipped or are not reached. With several providers, all blocks are of one branch. */
  blocks(slots: readonly bigint[]): Promise<readonly SlotBlock[]>
  finalSlot(): Promise<bigint>

  /** One request reads all accounts as of one slot. The result has null for an address without an account. */
  accounts(addresses: readonly Address[]): Promise<readonly (NodeAccount | null)[]>
  /** The orders are as of the block `last`, with null for one that does not exist. Rejects if the node is on another branch. */
  orders(query: OrderQuery): Promise<readonly (OrderAccount | null)[]>
  /** The balance is in lamports. With several providers it is rounded down. */
  balance(address: Address): Promise<bigint>
  /** One token account can spend this much: 0 if it does not exist or is frozen. With several providers the amount is rounded down. */
  tokenBalance(account: Address): Promise<bigint>
  /** The result is in lamports; the size is in bytes. */
  rentExempt(size: number): Promise<bigint>

  /**
   * Lists the transactions that name the address and succeeded, in slots [from, to], oldest first. Rejects if the node does not have the
   * whole history of these slots, so an absent transaction is proof.
   */
  signatures(query: SignatureQuery): Promise<readonly AccountSignature[] | null>
  /** Reads one batch. The result has null for those that are not in a confirmed block. */
  transactions(signatures: readonly Signature[]): Promise<readonly (NodeTransaction | null)[]>
  /** The outcome is null if the transaction is in no confirmed block, or if the node does not know it. */
  outcome(signature: Signature): Promise<Outcome | null>

  latestBlockhash(): Promise<Lifetime>
  /**
   * True means that the transaction is not mined and can never be: a quorum of providers is past its last valid block height at this
   * commitment, and then does not know its signature. False means that it is mined, or still may be.
   */
  isExpired(signature: Signature, lastValidBlockHeight: bigint, commitment: 'confirmed' | 'finalized'): Promise<boolean>
  /**
   * The unit is micro-lamports per compute unit. The result is this percentile (0 to 100) of what recent transactions paid that wrote to
   * one of these accounts. With several providers it is rounded up.
   */
  priorityFee(writable: readonly Address[], percentile: number): Promise<bigint>
  /** Signatures are not verified and may be absent. With several providers, the result has the highest `unitsConsumed`. */
  simulate(transaction: Base64EncodedWireTransaction, options?: SimulationOptions): Promise<Simulation>
  /** Every provider gets the transaction, and first simulates it (preflight). */
  broadcast(transaction: Base64EncodedWireTransaction): Promise<BroadcastVerdict>
  close(): void
}
