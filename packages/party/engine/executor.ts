/** Executes one wanted action: reads the chains again, asks the party, signs, records, broadcasts. Any failed step can be repeated. */

import { prefundedSwapOf } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { familyNamed } from '@tandem/families/index.ts'
import type { SignedVerb } from '@tandem/keys/purpose.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type ActionVerb, type Consent, type Leg, type Order, payerOf } from '@tandem/protocol/order.ts'
import { consentTo, instantRefunds, isWorthReclaiming, playbook, redeemable, refundable } from '@tandem/protocol/playbook.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import type { LeasedAction } from '../store/actions/actions.ts'
import type { ActionResult } from '../store/actions/finish-action.ts'
import { noteOfferedGas } from '../store/actions/offered-gas.ts'
import { markRefused, unmarkRefused } from '../store/actions/refused-attempts.ts'
import { readRevertedRelays } from '../store/actions/reverted-relays.ts'
import { noteInstantRefundTransaction } from '../store/orders/grants.ts'
import type { StoredOrder } from '../store/orders/orders.ts'
import { mayFundAnother, recordPrefund } from '../store/orders/prefunds.ts'
import { type BatchContext, redeemBatch, type SentBatch } from './batch-redeem/batch-redeem.ts'
import { proveStep } from './evidence/prove-step.ts'
import { clientFor, type LiveFacts, type LiveView, loadLiveOrder } from './facts.ts'
import { createFreshFacts } from './fresh-facts.ts'
import type { Leases } from './leases.ts'
import { afterRecord, openOutbox, type Taken } from './outbox.ts'
import type { Party, Step } from './party.ts'
import { leavesEnough } from './payout-gas.ts'
import { MAX_ACTION_BACKOFF_MS, MAX_BATCH_WAIT_MS, MIN_ACTION_BACKOFF_MS, MIN_RECHECK_MS } from './times.ts'
import { whatToCancel } from './what-to-cancel.ts'

export type ExecutorContext = LiveView & {
  readonly party: Party
  readonly leases: Leases
  readonly onSent?: (chain: ChainId) => void
  /** When it aborts, the next engine does what is on record, and nothing else is begun. */
  readonly stopping?: AbortSignal
}

/**
 * Gas for the recipient is a courtesy: a payout that fails more often than this is sent without it. An attempt counts too: one that is mined and reverts is
 * followed by another, which is no failure, and the wait after each is longer.
 */
const MAX_FAILURES_WITH_GAS = 3

export async function executeAction(context: ExecutorContext, action: LeasedAction): Promise<ActionResult> {
  const chain = action.chains[action.leg]
  const againInMs = Math.max(MIN_RECHECK_MS, context.registry.chain(chain).pollMs * 3)
  try {
    const taken = await take(context, action)
    const wanted = await ifWanted(context, taken)
    if (wanted !== null) {
      const waitMs = await waitLeft(context, wanted)
      if (waitMs > 0) return { kind: 'skipped', againInMs: waitMs }
      const { tx, others } = await send(context, wanted, againInMs)
      if (tx !== action.lastTx) context.onSent?.(chain)
      const sent = { kind: 'sent', tx, againInMs } as const
      await Promise.all(others.map((other) => context.leases.finish(other, sent)))
      return sent
    }
    if (action.cancelling) return await cancelUnmined(context, taken, againInMs)
    return taken.isClosed ? { kind: 'finished' } : { kind: 'skipped', againInMs }
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    if (error.kind === 'superseded') return { kind: 'skipped', againInMs }
    const deadTx = error.revertedTx ?? error.expiredTx
    return {
      kind: 'failed',
      error: error.message,
      againInMs: error.retryAfterMs ?? backoffMs(action.failures),
      ...(error.isExpected && { isExpected: true }),
      ...(deadTx !== null && { revertedTx: deadTx }),
      ...(error.refusal !== null && { refusal: error.refusal }),
    }
  }
}

async function waitLeft({ party }: ExecutorContext, { step, attempts, closeInMs }: TakenNow): Promise<number> {
  if (closeInMs !== null) return closeInMs
  if (party.waitMs === undefined || attempts.length > 0) return 0
  return Math.min(await party.waitMs(step), MAX_BATCH_WAIT_MS)
}

/** `closeInMs` is the time until the rent of the HTLC can be returned. It is null if no rent is kept, and for every other verb. */
type TakenNow = Taken & { readonly facts: LiveFacts; readonly isClosed: boolean; readonly closeInMs: number | null }

async function take(context: ExecutorContext, action: LeasedAction): Promise<TakenNow> {
  const { leg, verb } = action
  const live = await loadLiveOrder(context, action, (stored) => legsThatMayBeOld(verb, stored))
  if (live === null) throw new Error(`action ${action.key} belongs to no order`)
  const { stored, facts, attempts } = live
  context.party.assertUnchanged?.(stored)
  const client = clientFor(context.clients, stored.order[leg].chain)
  const prefund = verb === 'reclaim' ? await readPrefund(context, stored.order, client) : stored.prefund
  const keptUntil = verb === 'close' ? ((await client.rent?.keptUntil(stored.order[leg].terms)) ?? null) : null
  const withoutRent = verb === 'close' && keptUntil === null ? [leg] : []
  const { asOfMs, goodForMs } = facts
  const seen = { ...facts, prefund, withoutRent }
  const step = { state: deriveOrder(seen), leg, verb, client, asOfMs, goodForMs, evidence: null }
  const clock = facts.tips[leg].time > facts.now ? facts.tips[leg].time : facts.now
  const closeInMs = keptUntil === null ? null : Number(keptUntil - clock) * 1000
  return { action, step, facts: seen, attempts, isClosed: stored.closed, closeInMs }
}

/** Once the secret is out, neither an unreachable node nor a reorg may stop a redeem: a failed redeem costs little. */
function legsThatMayBeOld(verb: ActionVerb, { secretShown, seenSecret }: StoredOrder): readonly Leg[] {
  const mayBeOld = verb === 'reclaim' || verb === 'close' || (verb === 'redeem' && (secretShown || seenSecret !== null))
  return mayBeOld ? ['source', 'destination'] : []
}

/** Returns null unless the playbook and the party still want the action, by evidence if the database could make it cost money. */
async function ifWanted(context: ExecutorContext, taken: TakenNow): Promise<TakenNow | null> {
  const { party } = context
  const { action, step } = taken
  const rule = playbook.find((r) => r.who === party.role && r.leg === step.leg && r.verb === step.verb)
  if (rule === undefined || !rule.holds(step.state)) return null
  const proven = await proveStep(context, rule, taken, (now) => take({ ...context, ...now }, action))
  if (proven !== null) await party.authorize(proven.step)
  return proven
}

async function takeIfWanted(context: ExecutorContext, action: LeasedAction): Promise<Taken | null> {
  return ifWanted(context, await take(context, action))
}

/**
 * Reads the current prefund; 0 while it may be meant for another order of the payer. The amount is recorded, so that the playbook stops
 * wanting a reclaim that is done. Dust is recorded as 0: an order with a recorded amount is not read again, so anyone's dust would hide a
 * later payment.
 */
async function readPrefund({ db, now }: ExecutorContext, order: Order, { prefund }: ChainClient): Promise<bigint> {
  const seenAt = new Date()
  const isMeantForAnother = await mayFundAnother(db, order, now())
  const [amount = 0n] = isMeantForAnother ? [] : ((await prefund?.amounts([prefundedSwapOf(order)])) ?? [])
  await recordPrefund(db, order.id, { amount: isWorthReclaiming(order, amount) ? amount : 0n, seenAt })
  return amount
}

export function backoffMs(failures: number): number {
  return Math.min(MIN_ACTION_BACKOFF_MS * 2 ** Math.min(failures, 10), MAX_ACTION_BACKOFF_MS)
}

async function send(context: ExecutorContext, first: Taken, againInMs: number): Promise<SentBatch> {
  const { step } = first
  // A batch pays the redeemer of the terms, and no gas, so an order with another payout address or with gas is not batched.
  const isPlain = context.party.payoutAddress(step) === null && step.state.order[step.leg].gas === null
  if (step.verb === 'redeem' && step.client.batchRedeem !== undefined && isPlain) {
    const batch: BatchContext = {
      ...context,
      takeIfWanted: (other) => takeIfWanted(context, other),
      showingSecrets: (...args) => redeemShowingSecrets(context, ...args),
      againInMs,
    }
    return redeemBatch(batch, first)
  }
  return { tx: await sendAlone(context, first), others: [] }
}

async function sendAlone(context: ExecutorContext, first: Taken): Promise<string> {
  const { action, step } = first
  const facts = createFreshFacts(step, async () => {
    const now = await takeIfWanted(context, action)
    if (now === null) throw new ChainFailure('superseded', `${action.key} is no longer wanted`)
    if (workOf(now.step) !== workOf(step)) throw new ChainFailure('superseded', `${action.key} is done in another way now`)
    assertNotInitiated(now.step, outbox)
    return now.step
  })
  const outbox = await openOutbox(context, signedVerb(step), [first], facts)
  assertNotInitiated(step, outbox)
  const { client, state, leg, verb } = step
  const { terms } = state.order[leg]
  const to = context.party.payoutAddress(step)
  if (verb === 'redeem') {
    const { maxFee, gas } = state.order[leg]
    const failed = action.failures + outbox.attempts.length
    const gives = gas !== null && failed < MAX_FAILURES_WITH_GAS && (await leavesEnough(context, step, outbox.key))
    const request = {
      deposits: redeemable(state, leg),
      to,
      secret: await context.party.secretFor(step),
      ...(maxFee !== null && { maxFee }),
      ...(gives && { gas }),
    }
    const redeem = (watched: Outbox) => {
      const noted = afterRecord(watched, ({ tx }) => noteOfferedGas(context.db, action.key, tx, gives))
      return client.redeem(terms, request, gas === null ? watched : noted)
    }
    return redeemShowingSecrets(context, [action], outbox, redeem)
  }
  if (verb === 'refund') return refund(context, step, to, outbox)
  if (verb === 'reclaim') return reclaim(context, step, outbox)
  if (verb === 'close') return close(step, outbox)
  if (leg === 'source') return relay(context, step, outbox)
  return initiateNoted(context, action, terms, client, outbox)
}

/** An earlier attempt may have been recorded by a process that died before it was noted. */
async function initiateNoted(
  { party }: ExecutorContext,
  { key }: LeasedAction,
  terms: HtlcTerms,
  client: ChainClient,
  outbox: Outbox,
): Promise<string> {
  if (outbox.attempts.length === 0) await party.assertNotable?.()
  const lock = client.swapId(terms)
  for (const { tx } of outbox.attempts) await party.onRecorded?.(key, tx, lock)
  return client.initiate(
    terms,
    afterRecord(outbox, ({ tx }) => party.onRecorded?.(key, tx, lock)),
  )
}

/** An initiation without an attempt of ours may come from before a database loss: do not pay twice. */
function assertNotInitiated({ state, leg, verb }: Step, { attempts }: Outbox): void {
  if (leg === 'destination' && verb === 'initiate' && attempts.length === 0 && state.destination.counted.length > 0)
    throw new ChainFailure('superseded', 'the destination is initiated already')
}

/** Everything besides the order that a call of the client depends on. If it changes, the call is made anew. */
function workOf(step: Step): string {
  const { state, leg, verb } = step
  const deposits = verb === 'redeem' ? redeemable(state, leg) : verb === 'refund' ? refundable(state, leg) : []
  const refunds = leg === 'source' && verb === 'refund' ? instantRefunds(state) : []
  const consent = leg === 'source' && verb === 'initiate' ? consentTo(state, 'source') : null
  return JSON.stringify([signedVerb(step), deposits.map(({ id }) => id), refunds.map(({ deposit }) => deposit), consent], (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** The verb in the purpose of the signatures. The signer of the outbox is bound to it. */
function signedVerb({ state, leg, verb }: Step): SignedVerb {
  if (leg === 'source' && verb === 'initiate') return 'relay'
  return leg === 'source' && verb === 'refund' && instantRefunds(state).length > 0 ? 'instant-refund' : verb
}

/** Instant refunds come first: each is settled by its timelock, while an uneconomic expired deposit could block them forever. */
async function refund({ db }: ExecutorContext, { client, state, leg }: Step, to: string | null, outbox: Outbox): Promise<string> {
  const { id } = state.order
  const { terms } = state.order[leg]
  const refunds = leg === 'source' ? instantRefunds(state) : []
  if (refunds.length === 0) return client.refund(terms, { deposits: refundable(state, leg), to }, outbox)
  if (client.instantRefund === undefined) throw new Error(`order ${id} has an instant refund on a chain without instant refunds`)
  return client.instantRefund.send(
    terms,
    refunds,
    afterRecord(outbox, ({ raw }) => noteInstantRefundTransaction(db, id, raw)),
  )
}

/**
 * A recorded attempt counts as shown. Once every node has definitely refused all that this call broadcast, its attempts are marked as
 * refused. The marks of earlier calls are removed first: this time a node may accept what it refused then.
 */
async function redeemShowingSecrets(
  { db, party }: ExecutorContext,
  actions: readonly LeasedAction[],
  outbox: Outbox,
  redeem: (outbox: Outbox) => Promise<string>,
): Promise<string> {
  if (party.role !== 'service') return redeem(outbox)
  const broadcast: string[] = []
  for (const action of outbox.attempts.length === 0 ? [] : actions) {
    const refusedBefore = await unmarkRefused(db, action)
    if (refusedBefore === null) throw new ChainFailure('superseded', `${action.key}: the lease is lost, another engine has taken over`)
    broadcast.push(...refusedBefore)
  }
  try {
    return await redeem(
      afterRecord(outbox, async ({ tx }) => {
        broadcast.push(tx)
        for (const { key } of actions.slice(0, 1)) await party.onRecorded?.(key, tx)
      }),
    )
  } catch (error) {
    const isRefused = error instanceof ChainFailure && error.kind !== 'unreachable' && broadcast.length > 0
    for (const action of isRefused ? actions : []) await markRefused(db, action, broadcast)
    throw error
  }
}

/** Cancels an unwanted initiation that could still be mined, by a transaction without effect. */
async function cancelUnmined(context: ExecutorContext, taken: Taken, againInMs: number): Promise<ActionResult> {
  const { action, step } = taken
  const { cancel } = step.client
  const needed = whatToCancel(step.state, step.leg)
  if (cancel === undefined || needed === 'confirmed') return { kind: 'cancelled' }
  if (needed === 'owed') return { kind: 'skipped', againInMs }
  const facts = createFreshFacts(step, async () => {
    const now = (await take(context, action)).step
    if (whatToCancel(now.state, now.leg) !== 'unmined')
      throw new ChainFailure('superseded', `${action.key} is not to be cancelled any more`)
    return now
  })
  const tx = await cancel(await openOutbox(context, 'cancel', [taken], facts))
  return tx === null ? { kind: 'cancelled' } : { kind: 'cancelling', tx, againInMs }
}

/** The contract checks the time and pays the initiator. */
async function reclaim({ party }: ExecutorContext, { client, state: { order } }: Step, outbox: Outbox): Promise<string> {
  const paid: Outbox = { ...outbox, payForReclaim: async (amount) => party.payForReclaim?.(order, amount) }
  const tx = (await client.prefund?.reclaim(prefundedSwapOf(order), paid)) ?? null
  if (tx === null) throw new ChainFailure('superseded', 'nothing is left of the prefund')
  return tx
}

/** The chain pays the account that paid the rent. */
async function close({ client, state, leg }: Step, outbox: Outbox): Promise<string> {
  const { chain, terms } = state.order[leg]
  if (client.rent === undefined) throw new Error(`the HTLCs of ${chain} keep no rent`)
  return client.rent.giveBack(terms, outbox)
}

async function relay(context: ExecutorContext, { client, state }: Step, outbox: Outbox): Promise<string> {
  const consent = consentTo(state, 'source')
  if (consent === null) throw new Error(`order ${state.order.id} has no consent to initiate`)
  try {
    return await initiateFor(context, { client, state }, consent, outbox)
  } catch (error) {
    // An expected failure is a normal step, and nobody has to act on it.
    if (!(error instanceof ChainFailure) || error.kind !== 'would-fail' || error.isExpected) throw error
    const isSigned = consent.kind === 'signature'
    const cause = isSigned ? await findCause(client, state.order, consent.signature) : null
    const { revocableSignatures = false } = familyNamed(context.registry.chain(state.order.source.chain).family)
    throw relayFailure(error, cause, isSigned && revocableSignatures)
  }
}

async function initiateFor({ db }: ExecutorContext, { client, state }: Pick<Step, 'client' | 'state'>, consent: Consent, outbox: Outbox) {
  const { gasless, prefund } = client
  const { chain, terms, depositAddress } = state.order.source
  const consenting = consent.kind === 'prefunded' ? payerOf(state.order) : terms.initiator
  // At an address of the order alone, only its own reverts count: whoever pays there need not be its initiator.
  const isDeposit = consent.kind === 'prefunded' && depositAddress !== null
  const counted = { ...outbox, revertedRelays: isDeposit ? 0 : (await readRevertedRelays(db, chain, consenting)).length }
  if (consent.kind === 'prefunded') {
    if (prefund === undefined) throw new Error(`order ${state.order.id} is prefunded on ${chain}, which has no prefunded swaps`)
    return prefund.initiate({ ...prefundedSwapOf(state.order), deadline: consent.deadline }, counted)
  }
  if (gasless === undefined) throw new Error(`order ${state.order.id} is signed for on ${chain}, which takes no signatures`)
  return gasless.initiate(terms, consent.signature, counted, state.order.deadline)
}

/** Returns why the relay would fail, if the user can fix it; null if the cause is a node or our own balance. */
async function findCause({ gasless }: ChainClient, { source, deadline }: Order, signature: string): Promise<string | null> {
  try {
    await gasless?.verify(source.terms, signature, deadline)
    return null
  } catch (error) {
    if (error instanceof TandemError) return error.message
    if (error instanceof ChainFailure) return null
    throw error
  }
}

function relayFailure(failure: ChainFailure, cause: string | null, isRevocable: boolean): ChainFailure {
  const { message, revertedTx, expiredTx, retryAfterMs } = failure
  const reverted = revertedTx === null ? null : `the relayed transaction ${revertedTx} was mined and reverted`
  const why = cause ?? failure.refusal
  const withdraw =
    revertedTx !== null && isRevocable
      ? 'your signature stays valid: to withdraw it, send revoke_transaction of GET /orders/{id}/funding'
      : null
  const known = [reverted, why === null || withdraw === null ? (why ?? withdraw) : `${why}; ${withdraw}`].filter((text) => text !== null)
  return new ChainFailure('would-fail', message, {
    cause: failure,
    ...(revertedTx !== null && { revertedTx }),
    ...(expiredTx !== null && { expiredTx }),
    ...(known.length > 0 && { refusal: known.join(': ') }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  })
}
