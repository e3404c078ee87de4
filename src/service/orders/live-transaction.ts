/** Waits until the transaction of a requested action is broadcast. */
import { setTimeout as sleep } from 'node:timers/promises'
import { TandemError } from '../../protocol/error.ts'
import { actionKey } from '../../protocol/order.ts'
import { readAction } from '../../store/actions/actions.ts'
import { readEvents } from '../../store/chain/events.ts'
import type { StoredOrder } from '../../store/orders/orders.ts'
import type { ServiceContext } from '../context.ts'

const POLL_MS = 100

/** The actions that a user can request, with their leg and the event that they cause. */
const userVerbs = {
  initiate: { leg: 'source', shows: 'initiated', advice: 'repeat this call once the cause is gone, or send initiate_transaction yourself' },
  redeem: { leg: 'destination', shows: 'redeemed', advice: 'anyone may call the contract, and it pays the same address' },
  refund: { leg: 'source', shows: 'refunded', advice: 'anyone may call the contract, and it pays the same address' },
} as const
type UserVerb = keyof typeof userVerbs

/** The newest transaction of this action; null if there is none. A transaction seen on the chain takes precedence over one that we sent. */
export async function findLiveTransaction(
  { db }: ServiceContext,
  stored: StoredOrder,
  verb: UserVerb,
  done: ReadonlySet<string> = new Set(),
): Promise<string | null> {
  const { leg, shows } = userVerbs[verb]
  const swap = stored.order[leg]
  const events = (await readEvents(db, [swap])).get(`${swap.chain} ${swap.swapId}`) ?? []
  const seen = events.filter((event) => event.kind === shows).map((event) => event.tx)
  const sent = (await readAction(db, actionKey(stored.order.id, leg, verb)))?.lastTx ?? null
  return [sent, ...seen].filter((tx) => tx !== null && !done.has(tx)).at(-1) ?? null
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
  for (;;) {
    const tx = await findLiveTransaction(context, stored, verb, wait.done)
    if (tx !== null) return tx
    const refusal = (await readAction(context.db, actionKey(stored.order.id, userVerbs[verb].leg, verb)))?.refusal ?? null
    if (refusal !== null) throw new TandemError('conflict', `${refusal}; ${userVerbs[verb].advice}`)
    if (wait.closing.aborted || Date.now() >= giveUpAt) break
    await sleep(POLL_MS)
  }
  throw new TandemError(
    'chain_unavailable',
    `the ${verb} on ${stored.order[userVerbs[verb].leg].chain} could not be sent within ${broadcastWaitMs / 1000} s; it stays requested, and repeating this call joins it`,
  )
}
