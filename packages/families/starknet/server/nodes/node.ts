/**
 * Declares the methods that Tandem needs of Starknet nodes (JSON-RPC 0.9 and 0.10). A quorum has the interface of a provider. State is read
 * at `latest`, the newest block that is accepted on L2, unless a method says otherwise.
 */

import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'

/** The form is 0x and lower-case hex digits, without leading zeros: addresses, hashes and numbers. */
export type Felt = `0x${string}`

/** The prices are in FRI (10^-18 STRK) per unit of gas. */
export type GasPrices = { readonly l1Gas: bigint; readonly l1DataGas: bigint; readonly l2Gas: bigint }

export type GasAmounts = { readonly l1Gas: bigint; readonly l1DataGas: bigint; readonly l2Gas: bigint }

export type NodeBlock = Block & { readonly gasPrices: GasPrices }

export type NodeEvent = {
  readonly address: Felt
  readonly keys: readonly Felt[]
  readonly data: readonly Felt[]
  readonly blockHeight: bigint
  readonly blockHash: string
  readonly tx: string
}

export type EmittedEvent = Pick<NodeEvent, 'address' | 'keys'>

export type EventQuery = {
  readonly address: Felt
  /** The keys are listed by position; an empty list allows any key. */
  readonly keys: readonly (readonly Felt[])[]
} & (
  | {
      readonly from: bigint
      readonly to: bigint
      /** A node that has another block than this at `to`, or none, refuses. */
      readonly lastHash?: string
    }
  | { readonly blockHash: string }
)

export type NodeCall = { readonly to: Felt; readonly selector: Felt; readonly calldata: readonly Felt[] }

/** The form is that of nodes: version 3, signed or with an empty signature. */
export type WireTransaction = { readonly type: 'INVOKE' | 'DEPLOY_ACCOUNT' | 'DECLARE'; readonly [field: string]: unknown }

export type FeeEstimate = {
  readonly gas: GasAmounts
  readonly prices: GasPrices
  readonly fee: bigint
}

/**
 * pending     the node has it, in no block that is accepted on L2: received, candidate or pre-confirmed
 * succeeded   it is in a block that is accepted on L2 or L1
 * reverted    it is in such a block: the fee was paid and nothing else happened. `reason` is for people
 * rejected    the sequencer dropped it; it can never be mined, unless somebody sends it again
 */
export type Outcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'reverted'; readonly reason: string }
  | { readonly kind: 'rejected'; readonly reason: string }

/** The node executed the request and it failed (CONTRACT_ERROR, TRANSACTION_EXECUTION_ERROR, VALIDATION_FAILURE). */
export class NodeRefusal extends Refusal {
  /** The reason has all texts of the node, because the reasons of contracts are nested in it. */
  readonly reason: string

  /** `code` is that of JSON-RPC, see starknet_api_openrpc; 0 means that the answer itself was refused. */
  constructor(code: number, message: string, reason: string = message) {
    super(code, message)
    this.name = 'NodeRefusal'
    this.reason = reason
  }
}

/** Fewer providers than the quorum accepted the transaction, or failed and may have forwarded it: it may be mined, and is public. */
export class PartialRefusal extends NodeRefusal {
  constructor({ code, message, reason }: NodeRefusal) {
    super(code, message, reason)
    this.name = 'PartialRefusal'
  }
}

/** `events`, `call`, `callAmount`, `estimate` and `broadcast` reject with a NodeRefusal that callers read; the others only with `unreachable`. */
export interface StarknetNode {
  /** The id is a short string, e.g. 'SN_MAIN'. */
  chainId(): Promise<string>
  /** The version is that of the JSON-RPC, e.g. '0.9.0'. */
  specVersion(): Promise<string>

  block(height: bigint | 'latest'): Promise<NodeBlock | null>
  /** The method exists with several providers: see `AgreedBlocks.tipHint`. */
  tipHint?(): Promise<NodeBlock>
  /** Reads one batch and omits heights that the node has not reached. With several providers, all blocks are of one branch. */
  blocks(heights: readonly bigint[]): Promise<readonly NodeBlock[]>
  /** The block is accepted on L1 (tag `l1_accepted`). The height is 0 before there is one. */
  finalHeight(): Promise<bigint>

  classHashAt(address: Felt): Promise<Felt | null>
  isDeclared(classHash: Felt): Promise<boolean>
  call(call: NodeCall): Promise<readonly Felt[]>
  /**
   * The result is one number that may change with every block, e.g. a balance. If providers differ, 'down' is at most the highest and 'up'
   * at least the lowest honest answer. An answer at which `amountOf` throws is a refusal.
   */
  callAmount(call: NodeCall, amountOf: (answer: readonly Felt[]) => bigint, round: 'up' | 'down'): Promise<bigint>
  /** The nonce follows the transactions in blocks; it is 0 for an address without an account. */
  nonce(address: Felt): Promise<bigint>

  /** Reads all pages, and returns each event once, without those of pre-confirmed blocks. */
  events(query: EventQuery): Promise<readonly NodeEvent[]>
  outcome(tx: string): Promise<Outcome | null>
  /** Lists what a transaction in a block has emitted, of all contracts. A node that has it in no block is unreachable. */
  emitted(tx: string): Promise<readonly EmittedEvent[]>

  /**
   * The newest state decides. If `validates` is false, the account does not check the signature, which may be empty. With several providers
   * each amount and price is at least the lowest honest answer.
   */
  estimate(transaction: WireTransaction, options: { readonly validates: boolean }): Promise<FeeEstimate>
  /** Every provider gets the transaction. Resolves if a quorum has it, now or from before. A PartialRefusal means that some may have it. */
  broadcast(transaction: WireTransaction): Promise<void>
  close(): void
}
