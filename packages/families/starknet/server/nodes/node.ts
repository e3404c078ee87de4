/**
 * What Tandem asks of Starknet nodes (JSON-RPC 0.9 and 0.10). One provider and a quorum of providers have the same interface.
 * State is read at `latest`, the newest block that is accepted on L2, unless a method says otherwise.
 */

import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'

/** An element of Starknet's field as 0x and lower-case hex digits, without leading zeros: addresses, hashes and numbers. */
export type Felt = `0x${string}`

/** In FRI (10^-18 STRK) per unit of gas. */
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

export type EventQuery = {
  readonly address: Felt
  /** By position; an empty list allows any key. */
  readonly keys: readonly (readonly Felt[])[]
} & (
  | {
      readonly from: bigint
      readonly to: bigint
      /** Of block `to`. A node that has another block there, or none, refuses. */
      readonly lastHash?: string
    }
  | { readonly blockHash: string }
)

export type NodeCall = { readonly to: Felt; readonly selector: Felt; readonly calldata: readonly Felt[] }

/** A transaction as nodes take it: version 3, signed or with an empty signature. */
export type WireTransaction = { readonly type: 'INVOKE' | 'DEPLOY_ACCOUNT' | 'DECLARE'; readonly [field: string]: unknown }

export type FeeEstimate = {
  readonly gas: GasAmounts
  readonly prices: GasPrices
  /** In FRI. */
  readonly fee: bigint
}

/**
 * pending     the node has it, in no block that is accepted on L2: received, candidate or pre-confirmed
 * succeeded   in a block that is accepted on L2 or L1
 * reverted    in such a block: the fee was paid and nothing else happened. `reason` is for people
 * rejected    the sequencer dropped it; it can never be mined, unless somebody sends it again
 */
export type Outcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'reverted'; readonly reason: string }
  | { readonly kind: 'rejected'; readonly reason: string }

/** The node executed the question and it failed (CONTRACT_ERROR, TRANSACTION_EXECUTION_ERROR, VALIDATION_FAILURE): callers read the reason. */
export class NodeRefusal extends Refusal {
  /** All texts of the node, for reasons of contracts that are nested in it. */
  readonly reason: string

  /** `code`: of JSON-RPC, see starknet_api_openrpc. 0: the answer itself was refused. */
  constructor(code: number, message: string, reason: string = message) {
    super(code, message)
    this.name = 'NodeRefusal'
    this.reason = reason
  }
}

/** Some providers refused a transaction. Others accepted it, fewer than the quorum, or failed and may have forwarded it: it may be mined, and is public. */
export class PartialRefusal extends NodeRefusal {
  constructor({ code, message, reason }: NodeRefusal) {
    super(code, message, reason)
    this.name = 'PartialRefusal'
  }
}

/** `events`, `call`, `callAmount`, `estimate` and `broadcast` reject with a NodeRefusal that callers read; the others only with `unreachable`. */
export interface StarknetNode {
  /** The short string of its chain id, e.g. 'SN_MAIN'. */
  chainId(): Promise<string>
  /** Of the JSON-RPC, e.g. '0.9.0'. */
  specVersion(): Promise<string>

  // Blocks.

  block(height: bigint | 'latest'): Promise<NodeBlock | null>
  /** With several providers: see `AgreedBlocks.glimpse`. */
  glimpse?(): Promise<NodeBlock>
  /** In one batch. Omits heights that the node has not reached. With several providers, all are of one branch. */
  blocks(heights: readonly bigint[]): Promise<readonly NodeBlock[]>
  /** The newest block that is accepted on L1 (tag `l1_accepted`): 0 before there is one. */
  finalHeight(): Promise<bigint>

  // State.

  /** Null: nothing is deployed there. */
  classHashAt(address: Felt): Promise<Felt | null>
  /** Whether a class with this hash was declared. */
  isDeclared(classHash: Felt): Promise<boolean>
  call(call: NodeCall): Promise<readonly Felt[]>
  /**
   * The result of a call as one number that may change with every block, e.g. a balance. If providers differ, 'down' is at most the highest and
   * 'up' at least the lowest honest answer. An answer at which `amountOf` throws is a refusal.
   */
  callAmount(call: NodeCall, amountOf: (answer: readonly Felt[]) => bigint, round: 'up' | 'down'): Promise<bigint>
  /** The next nonce after the transactions in blocks; 0 for an address without an account. */
  nonce(address: Felt): Promise<bigint>

  // History.

  /** All pages, each event once. Those of pre-confirmed blocks are left out. */
  events(query: EventQuery): Promise<readonly NodeEvent[]>
  /** Null: the node does not know it. */
  outcome(tx: string): Promise<Outcome | null>

  // Sending.

  /**
   * Executes it on the newest state. `validates` false: the account does not check the signature, which may be empty. With several providers: for each
   * amount and price at least the lowest honest answer.
   */
  estimate(transaction: WireTransaction, options: { readonly validates: boolean }): Promise<FeeEstimate>
  /** Goes to every provider. Resolves if a quorum has it, now or since an earlier broadcast. A PartialRefusal: some may have it. */
  broadcast(transaction: WireTransaction): Promise<void>
  close(): void
}
