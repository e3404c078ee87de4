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
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { type ContractAction, isRelay, obstacleTo, payeeOf } from './action.ts'
import type { ContractFamily } from './family.ts'
import type { ContractTypes, Lane } from './lane.ts'
import { assertBackoffOver, assertRelayPaidFor, type Reverts, withRevertedTx } from './reverts.ts'
import { type Sending, sendOn } from './sending.ts'

export interface Executor<A> {
  send(action: A, outbox: Outbox): Promise<string>
  /**
   * Makes sure that no transaction signed for the action can still be mined. Returns the hash that it waits for; null once none can be mined.
   */
  cancelUnmined(outbox: Outbox): Promise<string | null>
}

type ActionOf<T extends ContractTypes> = ContractAction<T['call']>

type Job<T extends ContractTypes, A extends ActionOf<T>> = {
  readonly family: ContractFamily<T, A>
  readonly action: A
  readonly outbox: Outbox
  readonly sender: string
}

type Way<T extends ContractTypes> = { readonly lane: Lane<T>; readonly sending: Sending<T> }

type Plan<T extends ContractTypes> = {
  readonly missing: readonly T['call'][]
  readonly passes: boolean
  /** Throws if the call would revert. */
  readonly cost: () => T['cost']
}

const NO_REVERTS: Reverts<never> = { all: [], byOthers: [], atFeeCap: [] }

export function createContractExecutor<T extends ContractTypes, A extends ActionOf<T>>(family: ContractFamily<T, A>): Executor<A> {
  return {
    send: (action, outbox) => send({ family, action, outbox, sender: family.senderOf(outbox.key) }),
    cancelUnmined: (outbox) => cancelUnmined(family, outbox),
  }
}

async function send<T extends ContractTypes, A extends ActionOf<T>>(job: Job<T, A>): Promise<string> {
  const { family, action, outbox } = job
  const attempts = await Promise.all(outbox.attempts.map(family.read))
  const own = attempts.filter(({ call }) => family.isOwn(action, call))
  const isFirst = attempts.length === 0
  const firstPlan = isFirst ? Promise.allSettled([planOf(job, [])]) : null
  // Initiating is optional: a missed initiation loses only this deal.
  const duty = { isObligatory: action.verb !== 'initiate' }
  const needsNoState = isFirst && action.verb === 'initiate'
  const [state, lane] = await Promise.all([needsNoState ? null : family.htlcState(action), family.openLane(outbox, duty)])
  const obstacle = state === null ? null : obstacleTo(action, state)
  if (obstacle !== null) return orSuccess(family, own, obstacle)
  const way = { lane, sending: sendOn(lane) }
  const live = await keepAlive(job, way)
  if (live !== null) return live
  const { done, reverted } = await outcomesOf(job, own)
  if (done !== null) return done
  try {
    const [planned] = await (firstPlan ?? Promise.allSettled([planOf(job, reverted)]))
    const isPassed = planned.status === 'fulfilled' && planned.value.passes
    if (needsNoState && !isPassed) await assertNoObstacle(job)
    return await sendAsPlanned(job, way, unwrap(planned))
  } catch (error) {
    throw withRevertedTx(reverted.at(-1), error)
  }
}

/** Returns our own transaction that succeeded; throws the obstacle if there is none. */
async function orSuccess<T extends ContractTypes, A extends ActionOf<T>>(
  family: ContractFamily<T, A>,
  own: readonly T['signed'][],
  obstacle: ChainFailure,
): Promise<string> {
  for (const signed of own) if ((await family.outcome(signed.tx, signed)) === 'success') return signed.tx
  throw obstacle
}

async function assertNoObstacle<T extends ContractTypes, A extends ActionOf<T>>({ family, action }: Job<T, A>): Promise<void> {
  const obstacle = obstacleTo(action, await family.htlcState(action))
  if (obstacle !== null) throw obstacle
}

/** Rebroadcasts or bumps pending attempts. Returns the hash of the action's own one; null when there is none. */
async function keepAlive<T extends ContractTypes, A extends ActionOf<T>>(
  { family, action, sender }: Job<T, A>,
  { lane, sending }: Way<T>,
): Promise<string | null> {
  const isOwn = ({ call }: T['signed']) => family.isOwn(action, call)
  const costNow = (call: T['call']) => family.estimate(family.isOwn(action, call) ? action : { verb: 'approve', call }, sender, NO_REVERTS)
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
    const tx = family.exceeds?.(action, signed.call) === true ? await keepOrReduce(signed) : await sending.keep(signed, costNow)
    if (tx !== null && isOwn(signed)) live = tx
  }
  return live

  async function keepOrReduce(signed: T['signed']): Promise<string | null> {
    try {
      return await sending.keep(signed, costNow)
    } catch (error) {
      if (!(error instanceof ChainFailure) || error.kind !== 'would-fail' || lane.replacement === null) throw error
      return sending.replace(signed, action.call, await costNow(action.call))
    }
  }
}

async function outcomesOf<T extends ContractTypes, A extends ActionOf<T>>(
  job: Job<T, A>,
  own: readonly T['signed'][],
): Promise<{ readonly done: string | null; readonly reverted: readonly T['signed'][] }> {
  const { family, outbox } = job
  const outcomes = await Promise.all(own.map((signed) => family.outcome(signed.tx, signed)))
  const succeeded = own.find((_, index) => outcomes[index] === 'success')
  if (succeeded !== undefined && !(await didNothing(job, succeeded))) return { done: succeeded.tx, reverted: [] }
  const reverted = own.filter((_, index) => outcomes[index] === 'reverted')
  for (const signed of reverted) await outbox.noteReverted(signed.tx, family.revertWeight?.(signed))
  return { done: null, reverted }
}

async function didNothing<T extends ContractTypes, A extends ActionOf<T>>(
  { family, action }: Job<T, A>,
  { call }: T['signed'],
): Promise<boolean> {
  return family.mayDoNothing(call) && obstacleTo(action, await family.htlcState(action)) === null
}

async function planOf<T extends ContractTypes, A extends ActionOf<T>>(job: Job<T, A>, reverted: readonly T['signed'][]): Promise<Plan<T>> {
  const { family, action, outbox, sender } = job
  const payee = payeeOf(action)
  const reverts = reverted.length === 0 ? NO_REVERTS : await family.sortReverts(action, reverted)
  assertPaidFor(job, reverts, reverted.length)
  const mustHideSecret = action.verb === 'redeem' && outbox.attempts.length === 0 && !(family.simulatesOwnRedeem && payee === sender)
  if (mustHideSecret) {
    // Calldata contains the secret: record the attempt before any node sees it.
    const cost = await family.tryPayout(action, sender)
    return { missing: [], passes: true, cost: () => cost }
  }
  const trial = await tryCall(job, reverts)
  const missing = action.paysAmount && !trial.passes ? await family.approvals(action, sender) : []
  return { missing, ...trial }
}

function assertPaidFor<T extends ContractTypes, A extends ActionOf<T>>(
  { action, outbox, sender }: Job<T, A>,
  reverts: Reverts<T['signed']>,
  count: number,
): void {
  const { verb } = action
  const payee = payeeOf(action)
  if (isRelay(action)) assertRelayPaidFor(action.revertsPaidFor, outbox, count)
  // Never back off when we are the payee.
  else if (payee !== sender) assertBackoffOver(`${verb} to ${payee}`, reverts.byOthers, outbox.now)
  assertBackoffOver(`${verb} at the highest fee limit`, reverts.atFeeCap, outbox.now)
}

/** Simulates and estimates at the same time. `cost` throws if either fails: the reason of the simulation comes first. */
async function tryCall<T extends ContractTypes, A extends ActionOf<T>>(
  { family, action, sender }: Job<T, A>,
  reverts: Reverts<T['signed']>,
): Promise<Omit<Plan<T>, 'missing'>> {
  const limit = family.estimate(action, sender, reverts)
  const [simulated, estimated] = await Promise.allSettled([family.simulate(action, sender, limit), limit])
  const cost = (): T['cost'] => {
    unwrap(simulated)
    return unwrap(estimated)
  }
  return { passes: simulated.status === 'fulfilled' && estimated.status === 'fulfilled', cost }
}

async function sendAsPlanned<T extends ContractTypes, A extends ActionOf<T>>(
  job: Job<T, A>,
  way: Way<T>,
  { missing, cost }: Plan<T>,
): Promise<string> {
  return missing.length > 0 ? approveFirst(job, way, missing) : way.sending.append(job.action.call, cost())
}

async function approveFirst<T extends ContractTypes, A extends ActionOf<T>>(
  { family, action, sender }: Job<T, A>,
  { lane, sending }: Way<T>,
  missing: readonly T['call'][],
): Promise<string> {
  const { queuedCost } = family
  const steps = missing.map((call) => ({ verb: 'approve', call }) as const)
  const [first] = steps
  const last = steps.at(-1)
  if (first === undefined || last === undefined) throw new Error('there is nothing to approve')
  const checkedCost = async () => {
    const limit = family.estimate(first, sender, NO_REVERTS)
    await Promise.all([family.simulate(first, sender, limit), limit])
    return limit
  }
  if (queuedCost === null) {
    const waiting = await lane.findPending(first.call)
    const kept = waiting === null ? null : await sending.keep(waiting, () => family.estimate(first, sender, NO_REVERTS))
    return kept ?? sending.appendShared(first.call, await checkedCost())
  }
  if ((await lane.findPending(last.call)) === null) {
    // A call behind an unmined approval would revert in a simulation, so only a lone approval is simulated.
    for (const step of steps) await sending.appendShared(step.call, steps.length === 1 ? await checkedCost() : await queuedCost(step))
  }
  return sending.append(action.call, await queuedCost(action))
}

async function cancelUnmined<T extends ContractTypes, A extends ActionOf<T>>(
  family: ContractFamily<T, A>,
  outbox: Outbox,
): Promise<string | null> {
  const sender = family.senderOf(outbox.key)
  const lane = await family.openLane(outbox, { isObligatory: true })
  const sending = sendOn(lane)
  const unmined = await lane.unmined()
  for (const attempt of outbox.attempts) {
    const { tx } = attempt
    if (unmined.some((signed) => signed.tx === tx)) continue
    const signed = await family.read(attempt)
    if ((await family.outcome(tx, signed)) === 'reverted') await outbox.noteReverted(tx, family.revertWeight?.(signed))
  }
  const costNow = (call: T['call']) => family.estimate({ verb: 'cancel', call }, sender, NO_REVERTS)
  let last: string | null = null
  for (const signed of unmined) last = await cancel(signed, { lane, sending }, costNow)
  return last
}

async function cancel<T extends ContractTypes>(
  signed: T['signed'],
  { lane, sending }: Way<T>,
  costNow: (call: T['call']) => Promise<T['cost']>,
): Promise<string | null> {
  const { replacement } = lane
  // This chain has no replacement: wait until the transaction expires.
  if (replacement === null) return signed.tx
  const { noop, isNoop } = replacement
  return isNoop(signed.call) ? sending.keep(signed, costNow) : sending.replace(signed, noop, await costNow(noop))
}

function unwrap<V>(settled: PromiseSettledResult<V>): V {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
