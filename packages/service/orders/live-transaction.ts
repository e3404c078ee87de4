/** Waits until the transaction of a requested action is broadcast. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveAction } from '@tandem/party/store/actions/live-actions.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'

/** Waits double from the first to the longest. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 800

/** The actions that a user can request, with their leg and the event that they cause. */
const userVerbs = {
  initiate: {
    leg: 'source',
    shows: 'initiated',
    advice: 'repeat this call once the cause is gone, or send initiate_transaction or versioned_tx yourself',
  },
  redeem: { leg: 'destination', shows: 'redeemed', advice: 'anyone may call the contract, and it pays the same address' },
  refund: { leg: 'source', shows: 'refunded', advice: 'anyone may call the contract, and it pays the same address' },
} as const
type UserVerb = keyof typeof userVerbs

/** The newest transaction of this action; null if there is none. A transaction seen on the chain takes precedence over one that we sent. */
export async function findLiveTransaction(context: ServiceContext, stored: StoredOrder, verb: UserVerb): Promise<string | null> {
  return newestOf(await readLive(context, stored, verb), new Set())
}

function readLive({ readLiveAction }: ServiceContext, { order }: StoredOrder, verb: UserVerb): Promise<LiveAction> {
  const { leg, shows } = userVerbs[verb]
  const { chain, swapId } = order[leg]
  return readLiveAction({ key: actionKey(order.id, leg, verb), chain, swapId, shows })
}

function newestOf({ lastTx, seen }: LiveAction, done: ReadonlySet<string>): string | null {
  return [lastTx, ...seen].filter((tx) => tx !== null && !done.has(tx)).at(-1) ?? null
}

export type Wait = {
  /** Earlier transactions of the same action, for settled deposits: do not wait for these. */
  readonly done?: ReadonlySet<string>
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
}

/** Waits for a broadcast, not for a block. */
export async function awaitLiveTransaction(context: ServiceContext, stored: StoredOrder, verb: UserVerb, wait: Wait): Promise<string> {
  const { broadcastWaitMs } = context.settings
  const giveUpAt = Date.now() + broadcastWaitMs
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const live = await readLive(context, stored, verb)
    const tx = newestOf(live, wait.done ?? new Set())
    if (tx !== null) return tx
    if (live.refusal !== null) throw new TandemError('conflict', `${live.refusal}; ${userVerbs[verb].advice}`)
    if (wait.closing.aborted || Date.now() >= giveUpAt) break
    // All calls wake at the same moments, so that they share a statement.
    await sleep(waitMs - (Date.now() % waitMs))
  }
  throw new TandemError(
    'chain_unavailable',
    `the ${verb} on ${stored.order[userVerbs[verb].leg].chain} could not be sent within ${broadcastWaitMs / 1000} s; it stays requested, and repeating this call joins it`,
  )
}
