/**
 * Defines the interface of nodes of the XRP Ledger (rippled or Clio, API version 2). One provider and a quorum of providers have the same
 * interface. Only validated ledgers count. State is read at a numbered one, so that all providers get the same question.
 */
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { Escrow } from '../../terms/htlc.ts'

export type Account = {
  /** The balance is in drops, with the reserve. */
  readonly balance: bigint
  readonly sequence: bigint
  /** The account holds a reserve for each of these objects. */
  readonly ownerCount: bigint
  readonly flags: number
  /** The account belongs to a part of the ledger (AMM, vault, loan broker): nobody has its key. */
  readonly isPseudo: boolean
}

/** Both are in drops: an account cannot spend `base`, nor `increment` for each object that it owns. */
export type Reserves = { readonly base: bigint; readonly increment: bigint }

export type EscrowChange = {
  readonly tx: string
  readonly ledger: bigint
  readonly ledgerHash: string
  readonly escrow: Escrow
  readonly sequence: bigint
} & ({ readonly kind: 'created' | 'cancelled' } | { readonly kind: 'finished'; readonly fulfillment: string })

/**
 * pending: the node has it, in no validated ledger.
 * failed: it is validated with a `tec` code: it took the fee and did nothing else.
 */
export type Outcome = { readonly kind: 'pending' | 'succeeded' } | { readonly kind: 'failed'; readonly result: string }

export type Submission = {
  readonly result: string
  /** Fewer providers than the quorum accepted it, or some failed and may have forwarded it: it may be validated, and is public. */
  readonly isPartlyAccepted: boolean
}

export class NodeRefusal extends Refusal {
  readonly error: string

  constructor(error: string, message: string, data: unknown = null) {
    super(0, message, data)
    this.name = 'NodeRefusal'
    this.error = error
  }
}

export interface XrplNode {
  networkId(): Promise<number>
  hasLedger(height: bigint): Promise<boolean>
  reserves(): Promise<Reserves>
  /** The fee is in drops, for a plain transaction that goes into the next ledger. */
  fee(): Promise<bigint>

  block(height: bigint | 'validated'): Promise<Block | null>
  tipHint?(): Promise<Block>
  /** Heights that the node has not reached are left out. */
  blocks(heights: readonly bigint[]): Promise<readonly Block[]>

  account(address: string, ledger: bigint): Promise<Account | null>
  /** `other` means that the escrow has fields that ours have not. */
  escrow(owner: string, sequence: bigint, ledger: bigint): Promise<Escrow | null | 'other'>

  /** The changes are in order. The promise rejects if one of the ledgers is missing in the node's history. */
  escrowChanges(account: string, from: bigint, to: bigint): Promise<readonly EscrowChange[]>
  outcome(tx: string): Promise<Outcome | null>
  /** The result is true if the node has searched all these ledgers and found nothing. The promise rejects if it could not search all. */
  isAbsent(tx: string, from: bigint, to: bigint): Promise<boolean>

  /** The blob goes to every provider. */
  submit(blob: string): Promise<Submission>
  close(): void
}
