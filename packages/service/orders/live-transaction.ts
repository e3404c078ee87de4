/** A requested action waits here until its transaction is broadcast. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveAction } from '@tandem/party/store/actions/live-actions.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'

/** The interval doubles from poll to poll. */
const MIN_WAIT_MS = 100
const MAX_WAIT_MS = 800

/** These actions can be requested by a user. Each has its leg and the event that it causes. */
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

/** Resolves to the newest transaction of this action, or null. One seen on the chain takes precedence over one that the service sent. */
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
  /** Earlier transactions of the same action, for settled deposits, do not end the wait. */
  readonly done?: ReadonlySet<string>
  /** The signal is aborted when the server stops. */
  readonly closing: AbortSignal
}

export async function awaitLiveTransaction(context: ServiceContext, stored: StoredOrder, verb: UserVerb, wait: Wait): Promise<string> {
  const { broadcastWaitMs } = context.settings
  const endsAt = Date.now() + broadcastWaitMs
  for (let waitMs = MIN_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    const live = await readLive(context, stored, verb)
    const tx = newestOf(live, wait.done ?? new Set())
    if (tx !== null) return tx
    if (live.refusal !== null) throw new TandemError('conflict', `${live.refusal}; ${userVerbs[verb].advice}`)
    if (wait.closing.aborted || Date.now() >= endsAt) break
    // All calls wake at the same moments, so that they share a statement.
    await sleep(waitMs - (Date.now() % waitMs))
  }
  throw new TandemError(
    'chain_unavailable',
    `the ${verb} on ${stored.order[userVerbs[verb].leg].chain} could not be sent within ${broadcastWaitMs / 1000} s; it stays requested, and repeating this call joins it`,
  )
}
