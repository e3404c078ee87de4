/** The interface for what differs between the service and the solver. The engine is the same for both. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import type { ActionKey, ActionVerb, Leg, Order, Role } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { StoredOrder } from '../store/orders/orders.ts'
import type { Evidence } from './evidence/evidence.ts'
import type { FactsAge } from './fresh-facts.ts'

/** A step has the age of the facts of its state. */
export type Step = FactsAge & {
  readonly state: OrderState
  readonly leg: Leg
  readonly verb: ActionVerb
  readonly client: ChainClient
  /** Steps that could cost money if the database lied need evidence from the chains. The state is derived from it. */
  readonly evidence: Evidence | null
}

export type StepSponsor = {
  readonly key: Key
  /** See `Sponsor.charge`. */
  charge(amount: bigint): Promise<boolean>
}

export interface Party {
  readonly role: Role
  /** Throws if the order's rows are not as this party wrote them. Without it, the chains and the party's keys prove its orders. */
  assertUnchanged?(stored: StoredOrder): void
  keyFor(step: Step): Promise<Key>
  /** Returns the recipient of this spend, on chains where the spender chooses it. */
  payoutAddress(step: Step): string | null
  /** Returns who pays the part of this spend's fee that its recipient was promised not to bear; null if nobody does. */
  sponsorFor?(step: Step): StepSponsor | null
  /** The last check before a signature. It throws to refuse. */
  authorize(step: Step): Promise<void>
  /** See `Outbox.payForReclaim`. By default every reclaim is paid for. */
  payForReclaim?(order: Order, amount: bigint): Promise<void>
  /** Returns the secret to redeem with. It is called after `authorize`. */
  secretFor(step: Step): Promise<Hex32>
  /**
   * Rejects if `onRecorded` would. It is called before the key is held for the first attempt: an attempt that cannot be noted is not sent,
   * and would keep its nonce or coins.
   */
  assertNotable?(): Promise<void>
  /**
   * The signed transaction is on record, and leaves the process after this call. It initiates a destination (`lock` is its HTLC), or is a
   * redeem that shows the secret.
   */
  onRecorded?(action: ActionKey, tx: string, lock?: SwapId): Promise<void>
  /** Returns how long the step may wait to become cheaper, by default not at all. It is called only before the first attempt. */
  waitMs?(step: Step): Promise<number>
  /** Returns a cosigned transaction that redeems this swap and perhaps more, in hex; null if there is none. */
  cosignedFor?(step: Step): Promise<string | null>
  /**
   * Receives the states that were just derived, e.g. to contact the other party. It is called at least every second, and not awaited.
   * Returns when (unix milliseconds) an order must be derived again although nothing changes, because there is more to do for it.
   */
  onReconciled?(states: readonly OrderState[]): ReadonlyMap<string, number>
}
