/** The parts of the executor that differ by family: reading the chain, simulating, limiting the cost of a call. */
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Attempt } from '../port/outbox.ts'
import type { ContractAction, HtlcState } from './action.ts'
import type { ContractTypes, OpenLane, Outcome } from './lane.ts'
import type { Reverts } from './reverts.ts'

/** A call that is not the swap's own: a token approval, or a cancellation. */
export type SideCall<T extends ContractTypes> = { readonly verb: 'approve' | 'cancel'; readonly call: T['call'] }

export interface ContractFamily<T extends ContractTypes, A extends ContractAction<T['call']>> {
  senderOf(key: PublicKey): string
  /** Parses a recorded attempt, without asking a node. */
  read(attempt: Attempt): Promise<T['signed']>
  /** The call goes to the contract of the action, not to its token. */
  isOwn(action: A, call: T['call']): boolean

  /** The call may be mined without an error and leave its swap as it was: a batch skips swaps that are not open at that moment. */
  mayDoNothing(call: T['call']): boolean

  // Reads.

  htlcState(action: A): Promise<HtlcState>
  outcome(tx: string): Promise<Outcome>
  readonly openLane: OpenLane<T>
  /** Sorts reverted transactions, oldest first, by cause. */
  sortReverts(action: A, reverted: readonly T['signed'][]): Promise<Reverts<T['signed']>>

  /** The most that a reverted relay cost, as a multiple of a usual one, rounded up. Without it, all count as 1. */
  revertWeight?(signed: T['signed']): number

  // Checks before signing.

  /** Calls that must be mined before the contract can take the amount, in order. Rejects when the sender holds too little. */
  approvals(action: A, sender: string): Promise<readonly T['call'][]>
  /** Rejects with the contract's reason if the call would revert now. `cost`: the limit that it will be sent with; it may reject. */
  simulate(step: A | SideCall<T>, sender: string, cost: Promise<T['cost']>): Promise<void>
  estimate(step: A | SideCall<T>, sender: string, reverts: Reverts<T['signed']>): Promise<T['cost']>
  /** Simulates the payout of a redeem without its secret; resolves to the cost limit of the redeem. Rejects with `would-fail` if it cannot succeed. */
  tryPayout(action: A, sender: string): Promise<T['cost']>
  /** A payee simulates its own redeem: its secret is public already, so nodes may see it. */
  readonly simulatesOwnRedeem: boolean
  /**
   * A cost that is always enough, for a call that would revert until the approval before it is mined. Null where transactions are not
   * mined in the order of signing, so that nothing can be queued behind an approval.
   */
  readonly queuedCost: ((step: A | SideCall<T>) => Promise<T['cost']>) | null
}
