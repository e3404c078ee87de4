/**
 * Carries out initiate, redeem and refund on chains with an HTLC contract. Safe to repeat: it reads the chain first, then sends.
 *
 * 1. Done already? Return our transaction, or fail with `superseded` if somebody else did it.
 * 2. An attempt can still be mined? Rebroadcast it, bump its fee, or wait.
 * 3. Attempts reverted? Count them, and back off unless we are the payee.
 * 4. Simulate, estimate; approve if that fails for want of an allowance. For a first attempt these reads start together with those of step 1: one batch.
 *    The contract initiates a swap only once: a first initiation that passes the simulation needs no step 1.
 * 5. Allocate a nonce, sign, record. Only this step needs exclusive use of the key: see `lane.ts`.
 * 6. Broadcast.
 *
 * A redeem's calldata contains the secret. For a redeem, step 4 simulates the payout without it, so no node sees the secret before step 5 has recorded the attempt.
 */
import type { Outbox } from '../port/outbox.ts'
import { type ContractAction, isRelay, obstacleTo, payeeOf } from './action.ts'
import type { ContractFamily } from './family.ts'
import type { ContractTypes, Lane } from './lane.ts'
import { assertBackoffOver, assertRelayPaidFor, type Reverts, withRevertedTx } from './reverts.ts'
import { type Sending, sendOn } from './sending.ts'

export interface Executor<A> {
  /**
   * Resolves to the hash of the pending transaction. Where a call cannot be queued behind its approval, that is the approval until it is mined.
   */
  send(action: A, outbox: Outbox): Promise<string>
  /**
   * Makes sure that no transaction signed for the action can still be mined. Returns the hash that it waits for; null once none can be mined.
   */
  cancelUnmined(outbox: Outbox): Promise<string | null>
}

export function createContractExecutor<T extends ContractTypes, A extends ContractAction<T['call']>>(
  family: ContractFamily<T, A>,
): Executor<A> {
  const none: Reverts<T['signed']> = { all: [], byOthers: [], atFeeCap: [] }

  async function send(action: A, outbox: Outbox): Promise<string> {
    const attempts = await Promise.all(outbox.attempts.map(family.read))
    const own = attempts.filter(({ call }) => family.isOwn(action, call))
    // Initiating is optional: a missed initiation loses only this deal.
    const duty = { isObligatory: action.verb !== 'initiate' }
    const firstPlan = attempts.length === 0 ? Promise.allSettled([planOf(action, outbox, [])]) : null
    const isFirstInitiation = attempts.length === 0 && action.verb === 'initiate'
    const [state, lane] = await Promise.all([isFirstInitiation ? null : family.htlcState(action), family.openLane(outbox, duty)])
    const obstacle = state === null ? null : obstacleTo(action, state)
    if (obstacle !== null) {
      const done = await findSuccess(own)
      if (done !== null) return done
      throw obstacle
    }
    const sending = sendOn(lane)
    const live = await keepAlive(action, outbox, lane, sending)
    if (live !== null) return live
    const outcomes = await Promise.all(own.map(({ tx }) => family.outcome(tx)))
    // It was mined after we read the contract's state.
    const done = own.find((_, index) => outcomes[index] === 'success')
    if (done !== undefined && !(await didNothing(action, done))) return done.tx
    const reverted = own.filter((_, index) => outcomes[index] === 'reverted')
    for (const signed of reverted) await outbox.noteReverted(signed.tx, family.revertWeight?.(signed))
    try {
      const [planned] = await (firstPlan ?? Promise.allSettled([planOf(action, outbox, reverted)]))
      if (state === null && !(planned.status === 'fulfilled' && planned.value.passes)) await assertNoObstacle(action)
      const plan = unwrap(planned)
      if (plan.missing.length > 0) return await approveFirst(action, plan.missing, family.senderOf(outbox.key), lane, sending)
      return await sending.append(action.call, plan.cost())
    } catch (error) {
      throw withRevertedTx(reverted.at(-1), error)
    }
  }

  async function assertNoObstacle(action: A): Promise<void> {
    const obstacle = obstacleTo(action, await family.htlcState(action))
    if (obstacle !== null) throw obstacle
  }

  async function didNothing(action: A, { call }: T['signed']): Promise<boolean> {
    return family.mayDoNothing(call) && obstacleTo(action, await family.htlcState(action)) === null
  }

  async function findSuccess(signed: readonly T['signed'][]): Promise<string | null> {
    for (const { tx } of signed) if ((await family.outcome(tx)) === 'success') return tx
    return null
  }

  /** Rebroadcasts or bumps pending attempts. Returns the hash of the action's own one; null when there is none. */
  async function keepAlive(action: A, outbox: Outbox, lane: Lane<T>, sending: Sending<T>): Promise<string | null> {
    const sender = family.senderOf(outbox.key)
    const isOwn = ({ call }: T['signed']) => family.isOwn(action, call)
    const costNow = (call: T['call']) => family.estimate(family.isOwn(action, call) ? action : { verb: 'approve', call }, sender, none)
    if (family.queuedCost === null) {
      // Keep one attempt: the contract would revert a second one.
      for (const signed of lane.pending.filter(isOwn)) {
        const tx = await sending.keep(signed, costNow)
        if (tx !== null) return tx
      }
      return null
    }
    let live: string | null = null
    // Keep all: a nonce cannot be mined before the nonces below it.
    for (const signed of lane.pending) {
      const tx = await sending.keep(signed, costNow)
      if (tx !== null && isOwn(signed)) live = tx
    }
    return live
  }

  type Plan = {
    /** Approvals to send first. */
    readonly missing: readonly T['call'][]
    /** The simulation passed. */
    readonly passes: boolean
    /** Throws if the call would revert. */
    readonly cost: () => T['cost']
  }

  /** Checks whether we pay for another attempt, and what it takes. */
  async function planOf(action: A, outbox: Outbox, reverted: readonly T['signed'][]): Promise<Plan> {
    const sender = family.senderOf(outbox.key)
    const { verb } = action
    const payee = payeeOf(action)
    const reverts = reverted.length === 0 ? none : await family.sortReverts(action, reverted)
    if (isRelay(action)) assertRelayPaidFor(action.revertsPaidFor, outbox, reverted.length)
    // Never back off when we are the payee.
    else if (payee !== sender) assertBackoffOver(`${verb} to ${payee}`, reverts.byOthers, outbox.now)
    assertBackoffOver(`${verb} at the highest fee limit`, reverts.atFeeCap, outbox.now)
    const mustHideSecret = verb === 'redeem' && outbox.attempts.length === 0 && !(family.simulatesOwnRedeem && payee === sender)
    if (mustHideSecret) {
      // Calldata contains the secret: record the attempt before any node sees it.
      const cost = await family.tryPayout(action, sender)
      return { missing: [], passes: true, cost: () => cost }
    }
    const trial = await tryCall(action, sender, reverts)
    // An initiation that passes needs no approval.
    const missing = action.paysAmount && !trial.passes ? await family.approvals(action, sender) : []
    return { missing, ...trial }
  }

  /** Simulates and estimates at the same time. `cost` throws if either fails: the reason of the simulation comes first. */
  async function tryCall(action: A, sender: string, reverts: Reverts<T['signed']>) {
    const limit = family.estimate(action, sender, reverts)
    const [simulated, estimated] = await Promise.allSettled([family.simulate(action, sender, limit), limit])
    const cost = (): T['cost'] => {
      unwrap(simulated)
      return unwrap(estimated)
    }
    return { passes: simulated.status === 'fulfilled' && estimated.status === 'fulfilled', cost }
  }

  async function approveFirst(
    action: A,
    missing: readonly T['call'][],
    sender: string,
    lane: Lane<T>,
    sending: Sending<T>,
  ): Promise<string> {
    const { queuedCost } = family
    const steps = missing.map((call) => ({ verb: 'approve', call }) as const)
    const [first] = steps
    const last = steps.at(-1)
    if (first === undefined || last === undefined) throw new Error('there is nothing to approve')
    const checkedCost = async () => {
      const limit = family.estimate(first, sender, none)
      await Promise.all([family.simulate(first, sender, limit), limit])
      return limit
    }
    if (queuedCost === null) {
      const waiting = await lane.findPending(first.call)
      const kept = waiting === null ? null : await sending.keep(waiting, () => family.estimate(first, sender, none))
      return kept ?? sending.appendShared(first.call, await checkedCost())
    }
    if ((await lane.findPending(last.call)) === null) {
      // A call behind an unmined approval would revert in a simulation, so only a lone approval is simulated.
      for (const step of steps) await sending.appendShared(step.call, steps.length === 1 ? await checkedCost() : await queuedCost(step))
    }
    return sending.append(action.call, await queuedCost(action))
  }

  async function cancelUnmined(outbox: Outbox): Promise<string | null> {
    const sender = family.senderOf(outbox.key)
    const lane = await family.openLane(outbox, { isObligatory: true })
    const sending = sendOn(lane)
    const unmined = await lane.unmined()
    for (const attempt of outbox.attempts) {
      const { tx } = attempt
      if (unmined.some((signed) => signed.tx === tx) || (await family.outcome(tx)) !== 'reverted') continue
      await outbox.noteReverted(tx, family.revertWeight?.(await family.read(attempt)))
    }
    let last: string | null = null
    for (const signed of unmined) last = await cancel(signed, sender, lane, sending)
    return last
  }

  async function cancel(signed: T['signed'], sender: string, lane: Lane<T>, sending: Sending<T>): Promise<string | null> {
    const { replacement } = lane
    // This chain has no replacement: wait until the transaction expires.
    if (replacement === null) return signed.tx
    const { noop, isNoop } = replacement
    const costNow = (call: T['call']) => family.estimate({ verb: 'cancel', call }, sender, none)
    return isNoop(signed.call) ? sending.keep(signed, costNow) : sending.replace(signed, noop, await costNow(noop))
  }

  return { send, cancelUnmined }
}

function unwrap<V>(settled: PromiseSettledResult<V>): V {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
