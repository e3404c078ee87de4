/**
 * Carries out initiate, redeem and refund on chains with an HTLC contract. Safe to repeat: it looks first, then sends.
 *
 * 1. Is it done, or done by somebody else (`superseded`)?
 * 2. Is an attempt alive? Rebroadcast it, raise its fee, or wait.
 * 3. Did attempts revert? Count them, and back off where others make us pay.
 * 4. Approve, simulate, estimate.
 * 5. Allocate, sign, record. Only this needs the key for itself: see `lane.ts`.
 * 6. Broadcast.
 *
 * A redeem's calldata contains the secret. Step 4 then tries the payout without it, so no node sees it before step 5 has recorded it.
 */
import type { Outbox } from '../port/outbox.ts'
import { type ContractAction, isRelay, obstacleTo, payeeOf } from './action.ts'
import type { ContractFamily } from './family.ts'
import type { ContractTypes, Lane } from './lane.ts'
import { assertBackoffOver, assertRelayPaidFor, namingReverted, type Reverts } from './reverts.ts'
import { type Sending, sendOn } from './sending.ts'

export interface Executor<A> {
  /**
   * Resolves to the hash of the live transaction. Where nothing can be queued behind an approval, that is the approval until it is mined.
   */
  send(action: A, outbox: Outbox): Promise<string>
  /**
   * Makes sure that no transaction signed for the action can still be mined. Null once that is so; otherwise the hash that it waits for.
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
    const obstacle = obstacleTo(action.verb, await family.htlcState(action))
    if (obstacle !== null) {
      const done = await findSuccess(own)
      if (done !== null) return done
      throw obstacle
    }
    // A missed initiation costs only the deal.
    const lane = await family.openLane(outbox, { isObligatory: action.verb !== 'initiate' })
    const sending = sendOn(lane)
    const live = await keepAlive(action, outbox, lane, sending)
    if (live !== null) return live
    const outcomes = await Promise.all(own.map(({ tx }) => family.outcome(tx)))
    // Mined since we asked for the state.
    const done = own.find((_, index) => outcomes[index] === 'success')
    if (done !== undefined) return done.tx
    const reverted = own.filter((_, index) => outcomes[index] === 'reverted')
    for (const { tx } of reverted) await outbox.noteReverted(tx)
    try {
      return await sendNew(action, outbox, lane, sending, reverted)
    } catch (error) {
      throw namingReverted(reverted.at(-1), error)
    }
  }

  async function findSuccess(signed: readonly T['signed'][]): Promise<string | null> {
    for (const { tx } of signed) if ((await family.outcome(tx)) === 'success') return tx
    return null
  }

  /** The hash of the attempt that is alive; null when there is none. */
  async function keepAlive(action: A, outbox: Outbox, lane: Lane<T>, sending: Sending<T>): Promise<string | null> {
    const sender = family.senderOf(outbox.signer)
    const isOwn = ({ call }: T['signed']) => family.isOwn(action, call)
    const costNow = (call: T['call']) => family.estimate(family.isOwn(action, call) ? action : { verb: 'approve', call }, sender, none)
    if (family.queuedCost === null) {
      // One of them is enough: the contract refuses the second.
      for (const signed of lane.pending.filter(isOwn)) {
        const tx = await sending.keep(signed, costNow)
        if (tx !== null) return tx
      }
      return null
    }
    let live: string | null = null
    // All of them: the later ones cannot be mined without the earlier ones.
    for (const signed of lane.pending) {
      const tx = await sending.keep(signed, costNow)
      if (tx !== null && isOwn(signed)) live = tx
    }
    return live
  }

  async function sendNew(action: A, outbox: Outbox, lane: Lane<T>, sending: Sending<T>, reverted: readonly T['signed'][]): Promise<string> {
    const sender = family.senderOf(outbox.signer)
    const { verb, call } = action
    const payee = payeeOf(action)
    const reverts = await family.sortReverts(action, reverted)
    if (isRelay(action)) assertRelayPaidFor(action.revertsPaidFor, outbox, reverted.length)
    // Never back off when we are the payee.
    else if (payee !== sender) assertBackoffOver(`${verb} to ${payee}`, reverts.byOthers, outbox.now)
    assertBackoffOver(`${verb} at the highest fee limit`, reverts.atFeeCap, outbox.now)
    const missing = action.paysAmount ? await family.approvals(action, sender) : []
    if (missing.length > 0) return approveFirst(action, missing, sender, lane, sending)
    const isSecretKept = verb === 'redeem' && outbox.attempts.length === 0 && !(family.simulatesOwnRedeem && payee === sender)
    // Calldata contains the secret: record the attempt before any node sees it.
    if (isSecretKept) return sending.append(call, await family.tryPayout(action, sender))
    await family.simulate(action, sender)
    return sending.append(call, await family.estimate(action, sender, reverts))
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
      await family.simulate(first, sender)
      return family.estimate(first, sender, none)
    }
    if (queuedCost === null) {
      const waiting = await lane.findPending(first.call)
      const kept = waiting === null ? null : await sending.keep(waiting, () => family.estimate(first, sender, none))
      return kept ?? sending.append(first.call, await checkedCost())
    }
    if ((await lane.findPending(last.call)) === null) {
      // Only the first can be simulated, and it needs that only when it is alone.
      for (const step of steps) await sending.append(step.call, steps.length === 1 ? await checkedCost() : await queuedCost(step))
    }
    return sending.append(action.call, await queuedCost(action))
  }

  async function cancelUnmined(outbox: Outbox): Promise<string | null> {
    const sender = family.senderOf(outbox.signer)
    const lane = await family.openLane(outbox, { isObligatory: true })
    const sending = sendOn(lane)
    const unmined = await lane.unmined()
    for (const { tx } of outbox.attempts) {
      if (unmined.every((signed) => signed.tx !== tx) && (await family.outcome(tx)) === 'reverted') await outbox.noteReverted(tx)
    }
    let last: string | null = null
    for (const signed of unmined) last = await cancel(signed, sender, lane, sending)
    return last
  }

  async function cancel(signed: T['signed'], sender: string, lane: Lane<T>, sending: Sending<T>): Promise<string | null> {
    const { replacement } = lane
    // It cannot be replaced: wait for its expiry.
    if (replacement === null) return signed.tx
    const { nothing, isNothing } = replacement
    const costNow = (call: T['call']) => family.estimate({ verb: 'cancel', call }, sender, none)
    return isNothing(signed.call) ? sending.keep(signed, costNow) : sending.replace(signed, nothing, await costNow(nothing))
  }

  return { send, cancelUnmined }
}
