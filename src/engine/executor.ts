/** Does one wanted action: looks at the chains once more, asks the party, signs, records, broadcasts. Safe to repeat at every step. */
import { type ChainClient, ChainFailure, type Outbox } from '../chains/family.ts'
import type { ChainId } from '../protocol/chain.ts'
import { playbook, redeemable, refundable } from '../protocol/playbook.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import { deriveOrder } from '../protocol/state.ts'
import { leastSeconds } from '../protocol/timelock.ts'
import { type ActionResult, type LeasedAction, readAttempts, readOtherAttempts, recordAttempt } from '../store/actions.ts'
import type { Database } from '../store/database.ts'
import { withLock } from '../store/leases.ts'
import { findOrder } from '../store/orders.ts'
import { clientFor, loadLiveFacts } from './facts.ts'
import type { Party, Step } from './party.ts'

/** Longer than any one action may take, so that a lease is not lost in the middle of an honest run. */
export const LEASE_SECONDS = 120

export type ExecutorContext = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly party: Party
  readonly now: () => bigint
}

export async function executeAction(context: ExecutorContext, action: LeasedAction): Promise<ActionResult> {
  const { db, registry, clients, party, now } = context
  const stored = await findOrder(db, action.orderId)
  if (stored === null) throw new Error(`action ${action.key} belongs to no order`)
  const chain = registry.chain(stored.order[action.leg].chain)
  const againInMs = Math.max(1000, chain.pollMs * 3)
  try {
    const state = deriveOrder(await loadLiveFacts(db, registry, clients, stored, now()))
    const rule = playbook.find((r) => r.who === party.role && r.leg === action.leg && r.verb === action.verb)
    const holds = rule?.holds(state) ?? false
    const step: Step = { state, leg: action.leg, verb: action.verb, client: clientFor(clients, chain.id) }
    if (action.cancelling && !holds) return await callBack(context, action, step, againInMs)
    if (!holds) return { kind: 'skipped', againInMs }
    await party.authorize(step)
    return { kind: 'sent', tx: await take(context, action, step), againInMs }
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    if (error.kind === 'superseded') return { kind: 'skipped', againInMs }
    return { kind: 'failed', error: error.message, againInMs: backoffMs(action.failures) }
  }
}

/** 0.5 s doubling to 30 s. */
export function backoffMs(failures: number): number {
  return Math.min(500 * 2 ** Math.min(failures, 10), 30_000)
}

async function take(context: ExecutorContext, action: LeasedAction, step: Step): Promise<string> {
  const { party } = context
  const { client, state, leg, verb } = step
  const { terms } = state.order[leg]
  return withOutbox(context, action, step, async (outbox) => {
    const to = party.payoutAddress(step)
    if (verb === 'redeem')
      return client.redeem(terms, { deposits: redeemable(state, leg), to, secret: await party.secretFor(step) }, outbox)
    if (verb === 'refund') return client.refund(terms, { deposits: refundable(state, leg), to }, outbox)
    return leg === 'source' ? relay(step, outbox) : client.initiate(terms, outbox)
  })
}

/** An initiation that is not mined yet and not wanted any more could be mined at a bad time. */
async function callBack(context: ExecutorContext, action: LeasedAction, step: Step, againInMs: number): Promise<ActionResult> {
  const { client, state, leg } = step
  const { cancel } = client
  if (cancel === undefined || state[leg].counted.some((deposit) => deposit.block !== null)) return { kind: 'cancelled' }
  const tx = await withOutbox(context, action, step, (outbox) => cancel(outbox))
  return tx === null ? { kind: 'cancelled' } : { kind: 'calling-back', tx, againInMs }
}

/** One at a time for each signer and chain: account nonces and coins are chosen from what the others have taken. */
async function withOutbox<T>(
  { db, party, now }: ExecutorContext,
  action: LeasedAction,
  step: Step,
  work: (outbox: Outbox) => Promise<T>,
): Promise<T> {
  const { chain } = step.state.order[step.leg]
  const signer = await party.signerFor(step)
  const sender = step.client.identityOf(signer)
  return withLock(db, `sender ${chain} ${sender}`, async () =>
    work({
      signer,
      attempts: await readAttempts(db, action.key),
      others: await readOtherAttempts(db, { chain, sender, except: action.key }),
      async record(attempt) {
        const recorded = await recordAttempt(db, action, { ...attempt, chain, sender })
        if (!recorded) throw new ChainFailure('superseded', `${action.key} was taken over by another engine`)
      },
      secondsLeft: secondsLeft(step),
      now: now(),
    }),
  )
}

function relay({ client, state }: Step, outbox: Outbox): Promise<string> {
  const grant = state.grants.find((g) => g.kind === 'initiate')
  if (client.gasless === undefined || grant === undefined) throw new Error(`order ${state.order.id} cannot be relayed`)
  return client.gasless.initiate(state.order.source.terms, grant.signature, outbox)
}

/** In the worst case of the chain's speed; null for what cannot come too late. */
function secondsLeft({ state, leg, verb, client }: Step): bigint | null {
  if (verb === 'refund') return null
  if (verb === 'initiate') return leg === 'destination' ? state.gapSeconds : state.order.deadline - state.now
  const units = redeemable(state, leg).map((deposit) => deposit.unitsLeft ?? 0n)
  return leastSeconds(
    client.chain.clock,
    units.reduce((least, left) => (left < least ? left : least), units[0] ?? 0n),
  )
}
