/** What the engine needs from whoever runs it. The service and the solver each bring one; the loop is the same. */
import type { ChainClient } from '../chains/port/client.ts'
import type { Key } from '../keys/key.ts'
import type { ActionVerb, Leg, Role } from '../protocol/order.ts'
import type { Hex32 } from '../protocol/secret.ts'
import type { OrderState } from '../protocol/state.ts'

export type Step = {
  readonly state: OrderState
  readonly leg: Leg
  readonly verb: ActionVerb
  readonly client: ChainClient
}

export interface Party {
  readonly role: Role
  /** The key that signs this step, on the curve of its chain. */
  keyFor(step: Step): Promise<Key>
  /** Where the money of this spend goes, on chains where the spender chooses. */
  payoutAddress(step: Step): string | null
  /** Last word before a signature: throws to refuse. The first redeem by the service signs for the secret, with its recorded attempt. */
  authorize(step: Step): Promise<void>
  /** The secret to redeem with. Called after `authorize`. */
  secretFor(step: Step): Promise<Hex32>
  /** How long this may still wait, because it becomes cheaper by waiting; 0 or absent: it may not. Asked only before anything is signed for it. */
  patienceMs?(step: Step): Promise<number>
  /** A transaction that others have signed too, for redeeming this and perhaps more together; hex, null if there is none. */
  cosignedFor?(step: Step): Promise<string | null>
  /** What has to be said to others about orders in these states; not waited for. */
  attend?(states: readonly OrderState[]): void
}
