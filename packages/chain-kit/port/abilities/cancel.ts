/** Cancels an initiation that is signed, unmined and no longer wanted. */
import type { Outbox } from '../outbox.ts'

/**
 * Makes sure that no attempt of the action is mined from now on: a payment that is mined late is lost. Returns the hash of the
 * cancelling transaction, or null once no attempt can be mined. Safe to repeat.
 */
export type Cancel = (outbox: Outbox) => Promise<string | null>
