/** What Tandem asks of Solana nodes. One provider and a quorum of providers have the same interface. All reads are at commitment `confirmed`. */
import type { Address, Base64EncodedWireTransaction, Blockhash, ReadonlyUint8Array, Signature } from '@solana/kit'
import type { Block } from '@tandem/protocol/chain.ts'
import type { ExecutedInstruction, OrderAccount } from '../../contract/client/decode.ts'

/** `height` is the slot, `ordinal` the block height, which counts without gaps. `hash` can be used as a recent blockhash. */
export type SlotBlock = Block & { readonly ordinal: bigint }

export type NodeAccount = {
  /** Anyone can add to them. With several providers: rounded down. */
  readonly lamports: bigint
  readonly owner: Address
  readonly executable: boolean
  /** With several providers: the smallest amount, if it is a token account. */
  readonly data: ReadonlyUint8Array
}

/** A transaction is valid in blocks up to this block height (`SlotBlock.ordinal`). */
export type Lifetime = { readonly blockhash: Blockhash; readonly lastValidBlockHeight: bigint }

/** As nodes write it in JSON: "BlockhashNotFound", or {"InstructionError":[2,{"Custom":6011}]}. */
export type TransactionError = string | { readonly [kind: string]: unknown }

/** In a confirmed block. `error` null: it succeeded. */
export type Outcome = { readonly slot: bigint; readonly error: TransactionError | null }

export type NodeTransaction = Outcome & {
  readonly signature: Signature
  /** All that ran, at the top level and called by other programs, in the order in which they began. Empty if the transaction failed. */
  readonly instructions: readonly ExecutedInstruction[]
}

/** A transaction that names the account and succeeded. */
export type AccountSignature = { readonly signature: Signature; readonly slot: bigint }

export type SignatureQuery = {
  readonly address: Address
  readonly from: bigint
  readonly to: bigint
  /** Of the last block at or below `to`. A node on another branch refuses. */
  readonly last: Pick<Block, 'height' | 'hash'>
  /** If more are listed, failed ones too, the answer is null after one page. Absent: all of them are read. */
  readonly most?: number
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
  /** Uses the node's newest blockhash instead of the transaction's own. Default: false. */
  readonly replaceBlockhash?: boolean
}

/**
 * accepted              a quorum has it or has mined it already; or fewer do, and nobody refuses it
 * blockhash-not-found   nodes do not know its blockhash: it expired, or they are behind. Only `isExpired` tells which
 * refused               the preflight simulation failed
 *
 * `isPartlyAccepted`: a provider accepted it, or failed and may have: it may be mined, and its data may be public.
 */
export type BroadcastVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'blockhash-not-found'; readonly isPartlyAccepted: boolean }
  | { readonly kind: 'refused'; readonly isPartlyAccepted: boolean; readonly error: TransactionError; readonly logs: readonly string[] }

/** Every method rejects with `ChainFailure('unreachable')` if too few nodes answer or agree. */
export interface SolanaNode {
  genesisHash(): Promise<string>

  // Blocks.

  /** `latest`: the newest confirmed block. Null for a slot that was skipped or is not reached. */
  block(slot: bigint | 'latest'): Promise<SlotBlock | null>
  /** With several providers: see `AgreedBlocks.glimpse`. */
  glimpse?(): Promise<SlotBlock>
  /** In one batch. Omits slots that were skipped or are not reached. With several providers, all are of one branch. */
  blocks(slots: readonly bigint[]): Promise<readonly SlotBlock[]>
  /** The newest finalized slot. */
  finalSlot(): Promise<bigint>

  // State.

  /** In one request, all as of one slot; null for an address without an account. */
  accounts(addresses: readonly Address[]): Promise<readonly (NodeAccount | null)[]>
  /** The orders at these addresses as of the block `last`; null for one that is not there. Rejects if the node is on another branch. */
  orders(query: OrderQuery): Promise<readonly (OrderAccount | null)[]>
  /** Lamports. With several providers: rounded down. */
  balance(address: Address): Promise<bigint>
  /** What one token account can spend: 0 if it does not exist or is frozen. With several providers: rounded down. */
  tokenBalance(account: Address): Promise<bigint>
  /** The least lamports of an account with so many bytes. */
  rentExempt(size: number): Promise<bigint>

  // History.

  /**
   * The transactions that name the address and succeeded, in slots [from, to], oldest first. Rejects if the node does not have the
   * whole history of these slots: an absent transaction is never silence.
   */
  signatures(query: SignatureQuery): Promise<readonly AccountSignature[] | null>
  /** In one batch; null for those that are not in a confirmed block. */
  transactions(signatures: readonly Signature[]): Promise<readonly (NodeTransaction | null)[]>
  /** Null while it is in no confirmed block, or if the node does not know it. */
  outcome(signature: Signature): Promise<Outcome | null>

  // Sending.

  /** The newest block on which the providers agree, as a transaction's lifetime. */
  latestBlockhash(): Promise<Lifetime>
  /**
   * True if the transaction is not mined and can never be: a quorum of providers is past its last valid block height at this commitment, and
   * afterwards does not know its signature. False if it is mined, or may still be.
   */
  isExpired(signature: Signature, lastValidBlockHeight: bigint, commitment: 'confirmed' | 'finalized'): Promise<boolean>
  /**
   * Micro-lamports per compute unit: this percentile (0 to 100) of what recent transactions paid that wrote to one of these accounts.
   * With several providers: rounded up.
   */
  priorityFee(writable: readonly Address[], percentile: number): Promise<bigint>
  /** Signatures are not verified: they may be absent. With several providers: the highest `unitsConsumed`. */
  simulate(transaction: Base64EncodedWireTransaction, options?: SimulationOptions): Promise<Simulation>
  /** Goes to every provider, after a preflight simulation by each. */
  broadcast(transaction: Base64EncodedWireTransaction): Promise<BroadcastVerdict>
  close(): void
}
