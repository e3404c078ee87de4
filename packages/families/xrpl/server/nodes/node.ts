/**
 * What Tandem asks of nodes of the XRP Ledger (rippled or Clio, API version 2). One provider and a quorum of providers have the same interface.
 * Only validated ledgers count. State is read at a numbered one, so that all providers are asked the same question.
 */

import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { Escrow } from '../../terms/htlc.ts'

export type Account = {
  /** In drops, with the reserve. */
  readonly balance: bigint
  /** The sequence of its next transaction. */
  readonly sequence: bigint
  /** Objects for which it holds a reserve. */
  readonly ownerCount: bigint
  readonly flags: number
  /** It belongs to a part of the ledger (AMM, vault, loan broker): nobody has its key. */
  readonly isPseudo: boolean
}

/** In drops: an account cannot spend `base`, and `increment` for each object that it owns. */
export type Reserves = { readonly base: bigint; readonly increment: bigint }

/** A validated transaction that succeeded and made or ended an escrow like ours. */
export type EscrowChange = {
  readonly tx: string
  readonly ledger: bigint
  readonly ledgerHash: string
  readonly escrow: Escrow
  /** Of the transaction that made the escrow. */
  readonly sequence: bigint
} & ({ readonly kind: 'created' | 'cancelled' } | { readonly kind: 'finished'; readonly fulfillment: string })

/** pending: the node has it, in no validated ledger. failed: validated with a `tec` code: it took the fee and did nothing else. */
export type Outcome = { readonly kind: 'pending' | 'succeeded' } | { readonly kind: 'failed'; readonly result: string }

/** The preliminary result of a submission, e.g. 'tesSUCCESS'. */
export type Submission = {
  readonly result: string
  /** Some providers accepted it, fewer than the quorum, or failed and may have forwarded it: it may be validated, and is public. */
  readonly isPartlyAccepted: boolean
}

/** The node answered with an error, e.g. 'actNotFound'. */
export class NodeRefusal extends Refusal {
  readonly error: string

  constructor(error: string, message: string, data: unknown = null) {
    super(0, message, data)
    this.name = 'NodeRefusal'
    this.error = error
  }
}

export interface XrplNode {
  /** See "NetworkID" at xrpl.org. */
  networkId(): Promise<number>
  /** Whether its history has this ledger. */
  hasLedger(height: bigint): Promise<boolean>
  reserves(): Promise<Reserves>
  /** The least fee in drops of a plain transaction that goes into the next ledger. */
  fee(): Promise<bigint>

  // Ledgers.

  block(height: bigint | 'validated'): Promise<Block | null>
  /** With several providers: see `AgreedBlocks.glimpse`. */
  glimpse?(): Promise<Block>
  /** Omits heights that the node has not reached. */
  blocks(heights: readonly bigint[]): Promise<readonly Block[]>

  // State at a validated ledger.

  /** Null: there is no such account. */
  account(address: string, ledger: bigint): Promise<Account | null>
  /** Null: there is no such escrow. other: it has fields that ours have not. */
  escrow(owner: string, sequence: bigint, ledger: bigint): Promise<Escrow | null | 'other'>

  // History.

  /** What happened to escrows of or to this account in these ledgers, in order. Rejects if one of them is missing in the node's history. */
  escrowChanges(account: string, from: bigint, to: bigint): Promise<readonly EscrowChange[]>
  /** Null: the node does not know it. */
  outcome(tx: string): Promise<Outcome | null>
  /** True: the node has searched all these ledgers, and it is in none. Rejects if it could not search all. */
  isAbsent(tx: string, from: bigint, to: bigint): Promise<boolean>

  /** Goes to every provider. */
  submit(blob: string): Promise<Submission>
  close(): void
}
