/**
 * Gets one action mined, from whatever its earlier attempts left behind. Safe to repeat at any moment: what is live is returned (and sent
 * again with every block), what vanished is sent again, what waits too long is replaced or paid for by a child, and only then something
 * new is signed.
 */
import { ChainFailure } from '../port/failure.ts'
import type { Attempt, Outbox } from '../port/outbox.ts'
import type { Draft, Execution, KnownAttempt } from './execution.ts'
import type { BitcoinNetwork } from './networks.ts'
import type { BitcoinBackend } from './nodes/backend.ts'
import { classifyRejection } from './nodes/rejection.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction } from './script/transaction.ts'
import { buildChild, findFamily, isChildOf } from './wallet/child-pays.ts'
import type { Pace } from './wallet/fee-estimator.ts'
import { type FeeRate, feeOf, type Replaced, rateOf, urgencyOf } from './wallet/fees.ts'

export type BuildRequest = {
  readonly feeRate: FeeRate
  /** What it must outbid; null when nothing of ours waits. */
  readonly replaced: Replaced | null
  /** The attempt that waits now, to be replaced. */
  readonly live: KnownAttempt | null
}

/**
 * clear   nothing known stands in the way of a new attempt
 * done    one of our own attempts is mined after all
 * rival   an unconfirmed transaction of someone else must be outbid
 */
export type Standing =
  | { readonly kind: 'clear' }
  | { readonly kind: 'done'; readonly tx: string }
  | { readonly kind: 'rival'; readonly replaced: Replaced }

export interface Action {
  readonly attempts: readonly KnownAttempt[]
  /** Looks at what would be spent at this rate. Throws when a new attempt cannot succeed. */
  inspect(feeRate: FeeRate): Promise<Standing>
  build(request: BuildRequest): Promise<Draft>
  /** An attempt was refused because something it spends is not there: true if that could be brought back. */
  restoreInputs(attempt: KnownAttempt): Promise<boolean>
  /** False while replacing the live attempt would do harm: then a child pays for it, if it pays us. */
  mayReplace(live: KnownAttempt): boolean
  /** True where a child that pays for the live attempt costs less than replacing it. */
  prefersChild?(live: KnownAttempt): boolean
  /** False for what an attempt spends on behalf of other actions too. All is this action's unless told otherwise. */
  owns?(outpoint: Outpoint): boolean
}

export function knownAttempts(outbox: Outbox): readonly KnownAttempt[] {
  return outbox.attempts.map((attempt) => ({ ...attempt, transaction: parseTransaction(attempt.raw) }))
}

export async function execute(execution: Execution, action: Action): Promise<string> {
  const { backend } = execution
  const { attempts } = action
  const newest = attempts.at(-1)

  const live = await findLive(backend, attempts)
  if (live !== null) {
    if (live.place === 'block') return live.attempt.tx
    await resend(execution, live.attempt)
    return newest !== undefined && (await isDue(execution, newest)) ? raise(execution, action, live.attempt) : live.attempt.tx
  }

  const revived = await revive(backend, action)
  if ('tx' in revived) return revived.tx
  const feeRate = await currentFeeRate(execution)
  const standing = await action.inspect(feeRate)
  if (standing.kind === 'done') return standing.tx
  const rival = standing.kind === 'rival' ? standing.replaced : null
  const replaced = highestBid(revived.underpriced, action)
  const isOutbid = rival !== null && (replaced === null || replaced.fee <= rival.fee)
  const isNewestDue = newest !== undefined && (await isDue(execution, newest))
  if (revived.refusal !== null && !isNewestDue) throw new ChainFailure('would-fail', revived.refusal)
  // Raising again and again what the node refuses for its price would burn the whole allowance within seconds.
  if (replaced !== null && !isNewestDue && !isOutbid && newest !== undefined && feeRate <= newest.feeRate) {
    throw new ChainFailure('would-fail', `the node wants a higher fee than ${newest.feeRate} per kvB, which will be tried later`)
  }
  const draft = await action.build({ feeRate, replaced: higherBid(isNewestDue ? replaced : null, rival), live: null })
  if (revived.refusal !== null && attempts.some(({ tx }) => tx === draft.signed.txid)) throw new ChainFailure('would-fail', revived.refusal)
  const result = await recordAndSend(execution, draft)
  if (result === 'accepted') return draft.signed.txid
  throw new ChainFailure('would-fail', `the node refused the transaction: ${result.reason}`)
}

async function isDue({ chain, outbox, blocks }: Execution, attempt: Pick<Attempt, 'tx' | 'at'>): Promise<boolean> {
  const { bumpAfterSeconds } = urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds)
  return outbox.now - attempt.at >= bumpAfterSeconds && (await blocks.isOneSince(attempt))
}

export function currentFeeRate({ chain, network, outbox, feeRate }: Execution): Promise<FeeRate> {
  return feeRate(urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent ? 'urgent' : unhurriedPace(network))
}

/** What can hardly be raised later is paid well at once. */
export function unhurriedPace({ replaces }: BitcoinNetwork): Pace {
  return replaces ? 'normal' : 'fast'
}

async function findLive(backend: BitcoinBackend, attempts: readonly KnownAttempt[]) {
  for (const attempt of attempts.toReversed()) {
    const place = await backend.placeOf(attempt.transaction)
    if (place !== null) return { attempt, place }
  }
  return null
}

/** What is in our node's mempool may have been lost by others. Its refusal means nothing: it is there. */
async function resend({ backend, outbox, blocks }: Execution, live: KnownAttempt): Promise<void> {
  if (!(await blocks.isResendDue(live.tx))) return
  await backend.broadcast(live.raw)
  for (const child of outbox.attempts.filter((attempt) => isChildOf(attempt, live))) await backend.broadcast(child.raw)
}

/**
 * The live attempt stays good whatever becomes of this. Replacing it is the rule; a child pays for it where that would do harm, costs more,
 * or nodes do not do it. What pays somebody else alone has no output for a child of ours: it can only be replaced.
 */
async function raise(execution: Execution, action: Action, live: KnownAttempt): Promise<string> {
  const family = await findFamily(execution, live)
  const last = family.child ?? family.members.at(-1) ?? live
  if (last.tx !== live.tx && !(await isDue(execution, last))) return live.tx
  const feeRate = await currentFeeRate(execution)
  const sendChild = async () => {
    const child = buildChild(execution, live, family, feeRate)
    return child !== null && (await recordAndSend(execution, child)) === 'accepted'
  }
  const isChildOnly = family.child !== null || !execution.network.replaces || !action.mayReplace(live)
  if (isChildOnly || action.prefersChild?.(live)) {
    if ((await sendChild()) || isChildOnly) return live.tx
  }
  const replacement = await replace(execution, action, live, feeRate)
  if (replacement.kind === 'refused' && !action.prefersChild?.(live)) await sendChild()
  return replacement.kind === 'sent' ? replacement.tx : live.tx
}

async function replace(
  execution: Execution,
  action: Action,
  live: KnownAttempt,
  feeRate: FeeRate,
): Promise<{ readonly kind: 'sent'; readonly tx: string } | { readonly kind: 'impossible' | 'refused' }> {
  const own = highestBid(
    action.attempts.filter((attempt) => shareSlot(attempt, live)),
    action,
  )
  // Whoever was paid may have spent it already, and that goes with it.
  const replaced = higherBid(own, await execution.backend.unconfirmedFee(live.tx))
  let draft: Draft
  try {
    draft = await action.build({ feeRate, replaced, live })
  } catch (error) {
    if (error instanceof ChainFailure && error.kind !== 'unreachable') return { kind: 'impossible' }
    throw error
  }
  const result = await recordAndSend(execution, draft)
  if (result === 'accepted') return { kind: 'sent', tx: draft.signed.txid }
  return { kind: classifyRejection(result.reason) === 'missing' ? 'impossible' : 'refused' }
}

/**
 * What came of sending again what was signed before: the one that is live now; or those that pay too little, and why the node does not take
 * one that we signed alone, if not for its price or its coins.
 */
type Revived = { readonly tx: string } | { readonly underpriced: readonly KnownAttempt[]; readonly refusal: string | null }

/** Newest first: it carries the best fee. One that is refused keeps no other from being tried. */
async function revive(backend: BitcoinBackend, action: Action): Promise<Revived> {
  const underpriced: KnownAttempt[] = []
  let refusal: string | null = null
  for (const attempt of action.attempts.toReversed()) {
    let result = await backend.broadcast(attempt.raw)
    if (!result.accepted && classifyRejection(result.reason) === 'missing' && (await action.restoreInputs(attempt))) {
      result = await backend.broadcast(attempt.raw)
    }
    if (result.accepted) return { tx: attempt.tx }
    const rejection = classifyRejection(result.reason)
    if (rejection === 'known') return { tx: attempt.tx }
    if (rejection === 'underpriced') underpriced.push(attempt)
    // What others signed too is no reason not to try what we sign alone.
    if ((rejection === 'later' || rejection === 'invalid') && !isKeyPath(attempt.transaction)) refusal ??= result.reason
  }
  return { underpriced, refusal }
}

/** BIP341: a spend by the output key alone, which is that of both parties together, shows one signature. */
export function isKeyPath({ inputs }: ParsedTransaction): boolean {
  return inputs.every(({ witness }) => witness.length === 1)
}

/** On paper before it is out: whatever happens in between, it is found again. */
export async function recordAndSend(
  { backend, outbox, blocks }: Execution,
  { signed, fee }: Draft,
): Promise<'accepted' | { readonly reason: string }> {
  await blocks.note(signed.txid)
  const { inputs, vsize } = parseTransaction(signed.raw)
  await outbox.record({ tx: signed.txid, raw: signed.raw, slots: inputs.map((input) => input.outpoint), feeRate: rateOf(fee, vsize) })
  const result = await backend.broadcast(signed.raw)
  return result.accepted || classifyRejection(result.reason) === 'known' ? 'accepted' : { reason: result.reason }
}

/**
 * The recorded rate is rounded down, so one more gives a fee that is certainly not less than was paid. Of what was spent on behalf of others
 * too only our share counts: all of that is replaced only while it is live, and then with all that it spends.
 */
function highestBid(attempts: readonly KnownAttempt[], { owns = () => true }: Action): Replaced | null {
  return attempts
    .map(({ transaction, feeRate, slots }): Replaced | null => {
      const fee = feeOf(transaction.vsize, feeRate + 1n)
      return { fee: (fee * BigInt(slots.filter(owns).length)) / BigInt(slots.length), rate: feeRate }
    })
    .reduce(higherBid, null)
}

/** BIP125 rule 3 asks for more than all that is replaced paid together. */
export function sumOfBids(bids: readonly Replaced[]): Replaced | null {
  if (bids.length === 0) return null
  return bids.reduce((sum, bid) => ({ fee: sum.fee + bid.fee, rate: sum.rate > bid.rate ? sum.rate : bid.rate }))
}

export function shareSlot(a: Pick<Attempt, 'slots'>, b: Pick<Attempt, 'slots'>): boolean {
  return a.slots.some((slot) => b.slots.includes(slot))
}

export function higherBid(a: Replaced | null, b: Replaced | null): Replaced | null {
  if (a === null || b === null) return a ?? b
  return { fee: a.fee > b.fee ? a.fee : b.fee, rate: a.rate > b.rate ? a.rate : b.rate }
}

/** Who spent an input of ours: one of our own attempts, someone else, or nobody that can be found. */
export async function whoSpent({ backend, outbox }: Execution, outpoint: Outpoint, attempts: readonly KnownAttempt[]) {
  const spender = await backend.spenderOf(outpoint, attempts[0]?.at ?? outbox.now)
  if (spender === null) return null
  return { ...spender, isOurs: attempts.some((attempt) => attempt.tx === spender.txid) }
}
