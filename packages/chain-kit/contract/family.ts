/** Lists the parts of the executor that differ by family: reading the chain, simulating, limiting the cost of a call. */
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Attempt } from '../port/outbox.ts'
import type { ContractAction, HtlcState } from './action.ts'
import type { ContractTypes, OpenLane, Outcome } from './lane.ts'
import type { Reverts } from './reverts.ts'

/** A side call is not the swap's own: it is a token approval or a cancellation. */
export type SideCall<T extends ContractTypes> = { readonly verb: 'approve' | 'cancel'; readonly call: T['call'] }

export interface ContractFamily<T extends ContractTypes, A extends ContractAction<T['call']>> {
  senderOf(key: PublicKey): string
  read(attempt: Attempt): Promise<T['signed']>
  isOwn(action: A, call: T['call']): boolean

  /** The call may be mined without an error and leave its swap as it was: a batch skips swaps that are not open at that moment. */
  mayDoNothing(call: T['call']): boolean

  /**
   * The recorded call does more than the action wants now, e.g. it gives coin. If it cannot be sent, the action's own call takes its place. Without this
   * method no call does.
   */
  exceeds?(action: A, call: T['call']): boolean

  htlcState(action: A): Promise<HtlcState>
  /** `signed` is the recorded transaction. One that was mined without an error may have done nothing of what it was sent for: then it counts as reverted. */
  outcome(tx: string, signed: T['signed']): Promise<Outcome>
  readonly openLane: OpenLane<T>
  sortReverts(action: A, reverted: readonly T['signed'][]): Promise<Reverts<T['signed']>>

  /** The weight is the cost of a reverted relay as a multiple of a usual one, rounded up. Without this method each relay counts as 1. */
  revertWeight?(signed: T['signed']): number

  /** These calls must be mined in this order before the contract can take the amount. Rejects when the sender holds too little. */
  approvals(action: A, sender: string): Promise<readonly T['call'][]>
  /** Rejects with the contract's reason if the call would revert now. `cost` is the limit that it will be sent with; it may reject. */
  simulate(step: A | SideCall<T>, sender: string, cost: Promise<T['cost']>): Promise<void>
  estimate(step: A | SideCall<T>, sender: string, reverts: Reverts<T['signed']>): Promise<T['cost']>
  /** Simulates the payout of a redeem without its secret; resolves to the cost limit of the redeem. Rejects with `would-fail` if it cannot succeed. */
  tryPayout(action: A, sender: string): Promise<T['cost']>
  /** A payee simulates its own redeem: its secret is public already, so nodes may see it. */
  readonly simulatesOwnRedeem: boolean
  /**
   * This cost is always enough for a call that would revert until the approval before it is mined. Null means that transactions are not
   * mined in the order of signing, so nothing can be queued behind an approval.
   */
  readonly queuedCost: ((step: A | SideCall<T>) => Promise<T['cost']>) | null
}
