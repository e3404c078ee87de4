/** The differences between the service and the solver. The engine is the same for both. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import type { ActionKey, ActionVerb, Leg, Role } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { StoredOrder } from '../store/orders/orders.ts'
import type { Evidence } from './evidence/evidence.ts'
import type { FactsAge } from './fresh-facts.ts'

/** Its age is that of the facts of the state. */
export type Step = FactsAge & {
  readonly state: OrderState
  readonly leg: Leg
  readonly verb: ActionVerb
  readonly client: ChainClient
  /** What the chains themselves show, for steps that could cost money if the database lied. The state is derived from it. */
  readonly evidence: Evidence | null
}

export type StepSponsor = {
  readonly key: Key
  /** See `Sponsor.charge`. */
  charge(amount: bigint): Promise<boolean>
}

export interface Party {
  readonly role: Role
  /** Throws if the rows of the order are not as this party wrote them: then nothing is done for it. Absent: the chains and its own keys prove it. */
  assertUnchanged?(stored: StoredOrder): void
  /** The key that signs this step, on the curve of its chain. */
  keyFor(step: Step): Promise<Key>
  /** The recipient of this spend, on chains where the spender chooses it. */
  payoutAddress(step: Step): string | null
  /** Who pays the part of this spend's fee that its recipient was promised not to bear; absent or null: nobody. */
  sponsorFor?(step: Step): StepSponsor | null
  /** The last check before a signature: throws to refuse. */
  authorize(step: Step): Promise<void>
  /** The secret to redeem with. Called after `authorize`. */
  secretFor(step: Step): Promise<Hex32>
  /** Rejects if `onRecorded` would. Asked before the key is held for the first attempt: what cannot be noted is not sent, and would keep its nonce or coins. */
  assertNotable?(): Promise<void>
  /** The signed transaction is on record, and leaves the process after this: an initiation of a destination (`lock`: its HTLC), or a redeem that shows the secret. */
  onRecorded?(action: ActionKey, tx: string, lock?: SwapId): Promise<void>
  /** How long the step may wait to become cheaper, e.g. in a batch; absent: not at all. Called only before the first attempt. */
  waitMs?(step: Step): Promise<number>
  /** A cosigned transaction that redeems this and perhaps more; hex, null if there is none. */
  cosignedFor?(step: Step): Promise<string | null>
  /**
   * Receives the states that were just derived, e.g. to contact the other party. Called at least every second, not awaited. Returns when
   * (unix milliseconds) an order must be derived again although nothing changes, because there is more to do for it.
   */
  onReconciled?(states: readonly OrderState[]): ReadonlyMap<string, number>
}
