/**
 * Gets one action mined, from any state of its earlier attempts. It is safe to repeat at any moment:
 * 1. An attempt is mined: return it.
 * 2. An attempt is unconfirmed: rebroadcast it once per block, and bump its fee (RBF or CPFP) when it waits too long.
 * 3. All attempts were dropped: rebroadcast them, newest first, until a node accepts one.
 * 4. Otherwise sign, record and broadcast a new attempt.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, OtherAttempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import { type FeeRate, feeOf, type ReplacedFee, rateOf, urgencyOf } from '../terms/wallet/fees.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from './execution.ts'
import type { BitcoinBackend } from './nodes/backend.ts'
import { classifyRejection } from './nodes/rejection.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction } from './script/transaction.ts'
import { buildChild, findUnconfirmedChain, isChildOf } from './wallet/child-pays.ts'
import type { Pace } from './wallet/fee-estimator.ts'

export type BuildRequest = {
  readonly feeRate: FeeRate
  readonly replaced: ReplacedFee | null
  readonly live: KnownAttempt | null
}

/**
 * clear: nothing known prevents a new attempt.
 * done: one of our attempts spent the inputs after all.
 * conflict: an unconfirmed transaction that is not an attempt of this action must be outbid.
 */
export type Inspection =
  | { readonly kind: 'clear' }
  | { readonly kind: 'done'; readonly tx: string }
  | { readonly kind: 'conflict'; readonly replaced: ReplacedFee }

export interface Action {
  readonly attempts: readonly KnownAttempt[]
  /** An error means that a new attempt cannot succeed at this rate. */
  inspect(feeRate: FeeRate): Promise<Inspection>
  /** An action may hold another key than that of the outbox while it builds. */
  holds?(request: BuildRequest): Outbox['withKey'] | null
  build(request: BuildRequest, held: HeldExecution): Promise<Draft>
  /** The node refused an attempt for a missing input. The result is true if the input could be restored. */
  restoreInputs(attempt: KnownAttempt): Promise<boolean>
  /** The result is false while the attempt must not be replaced: then a child pays (CPFP). The question is repeated under the key. */
  mayReplace(live: KnownAttempt, others: readonly OtherAttempt[]): boolean
  prefersChild?(live: KnownAttempt): boolean
  /** The result is false for inputs that an attempt spends for other actions. By default all inputs belong to this action. */
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
    await rebroadcast(execution, live.attempt)
    return newest !== undefined && (await isDue(execution, newest)) ? bumpFee(execution, action, live.attempt) : live.attempt.tx
  }

  const sent = await rebroadcastAttempts(backend, action)
  if ('tx' in sent) return sent.tx
  const feeRate = await currentFeeRate(execution)
  const inspection = await action.inspect(feeRate)
  if (inspection.kind === 'done') return inspection.tx
  const conflict = inspection.kind === 'conflict' ? inspection.replaced : null
  const replaced = highestFee(sent.underpriced, action)
  const isOutbid = conflict !== null && (replaced === null || replaced.fee <= conflict.fee)
  const isNewestDue = newest !== undefined && (await isDue(execution, newest))
  if (sent.refusal !== null && !isNewestDue) throw new ChainFailure('would-fail', sent.refusal)
  // A fee bump waits until it is due: bumping on every refusal would reach the fee cap within seconds.
  if (replaced !== null && !isNewestDue && !isOutbid && newest !== undefined && feeRate <= newest.feeRate) {
    throw new ChainFailure('would-fail', `the node requires a higher fee than ${newest.feeRate} per kvB; a fee bump follows later`)
  }
  const { refusal } = sent
  const request = { feeRate, replaced: higherFee(isNewestDue ? replaced : null, conflict), live: null }
  const result = await recordAndSend(holding(execution, action, request), async (held) => {
    const draft = await action.build(request, held)
    if (refusal !== null && attempts.some(({ tx }) => tx === draft.signed.txid)) throw new ChainFailure('would-fail', refusal)
    return draft
  })
  if (result.reason === null) return result.tx
  throw new ChainFailure('would-fail', `the node refused the transaction: ${result.reason}`)
}

async function isDue({ chain, outbox, blocks }: Execution, attempt: Pick<Attempt, 'tx' | 'at'>): Promise<boolean> {
  const { bumpAfterSeconds } = urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds)
  return outbox.now - attempt.at >= bumpAfterSeconds && (await blocks.hasNewBlockSince(attempt))
}

export function currentFeeRate({ chain, network, outbox, feeRate }: Execution): Promise<FeeRate> {
  return feeRate(urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent ? 'urgent' : defaultPace(network))
}

/** Without RBF a fee cannot be raised later, so it is high from the start. */
export function defaultPace({ replaces }: BitcoinNetwork): Pace {
  return replaces ? 'normal' : 'fast'
}

async function findLive(backend: BitcoinBackend, attempts: readonly KnownAttempt[]) {
  for (const attempt of attempts.toReversed()) {
    const place = await backend.placeOf(attempt.transaction)
    if (place !== null) return { attempt, place }
  }
  return null
}

/** Other nodes may have dropped the transaction. A refusal is ignored, because our node still has it. */
async function rebroadcast({ backend, outbox, blocks }: Execution, live: KnownAttempt): Promise<void> {
  if (!(await blocks.isRebroadcastDue(live.tx))) return
  await backend.broadcast(live.raw)
  for (const child of outbox.attempts.filter((attempt) => isChildOf(attempt, live))) await backend.broadcast(child.raw)
}

/**
 * Bumps the fee of the unconfirmed attempt, which stays valid if this fails. It usually replaces the attempt (RBF). It adds a child (CPFP)
 * where a replacement would break other actions, would cost more, or is not relayed. A transaction without an output of ours can only be replaced.
 */
async function bumpFee(execution: Execution, action: Action, live: KnownAttempt): Promise<string> {
  const unconfirmed = await findUnconfirmedChain(execution, live)
  const last = unconfirmed.child ?? unconfirmed.members.at(-1) ?? live
  if (last.tx !== live.tx && !(await isDue(execution, last))) return live.tx
  const feeRate = await currentFeeRate(execution)
  // Another action may have spent the change meanwhile, so the chain of transactions is read again under the key.
  const sendChild = async () => {
    const sent = await recordAndSend(execution, async (held) => buildChild(held, live, await findUnconfirmedChain(held, live), feeRate))
    return sent !== null && sent.reason === null
  }
  const isChildOnly = unconfirmed.child !== null || !execution.network.replaces || !action.mayReplace(live, execution.others)
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
  const own = highestFee(
    action.attempts.filter((attempt) => shareSlot(attempt, live)),
    action,
  )
  // The payee may have spent its output already. That child is replaced too, and its fee counts (BIP125 rule 3).
  const replaced = higherFee(own, await execution.backend.unconfirmedFee(live.tx))
  const request = { feeRate, replaced, live }
  const result = await recordAndSend(holding(execution, action, request), async (held) => {
    if (!action.mayReplace(live, held.others)) return null
    try {
      return await action.build(request, held)
    } catch (error) {
      if (error instanceof ChainFailure && error.kind !== 'unreachable') return null
      throw error
    }
  })
  if (result === null) return { kind: 'impossible' }
  if (result.reason === null) return { kind: 'sent', tx: result.tx }
  return { kind: classifyRejection(result.reason) === 'missing' ? 'impossible' : 'refused' }
}

/**
 * Either a node accepted one of the attempts, or none was accepted. Then `refusal` says why a node refuses one that we signed alone, if the
 * reason is neither its fee nor its inputs.
 */
type Rebroadcast = { readonly tx: string } | { readonly underpriced: readonly KnownAttempt[]; readonly refusal: string | null }

/** The newest comes first, because it pays the highest fee. */
async function rebroadcastAttempts(backend: BitcoinBackend, action: Action): Promise<Rebroadcast> {
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
    // A refused co-signed attempt must not stop us from signing alone.
    if ((rejection === 'later' || rejection === 'invalid') && !isKeyPath(attempt.transaction)) refusal ??= result.reason
  }
  return { underpriced, refusal }
}

/** BIP341: a key path spend has one signature as its whole witness. */
export function isKeyPath({ inputs }: ParsedTransaction): boolean {
  return inputs.every(({ witness }) => witness.length === 1)
}

function holding(execution: Execution, action: Action, request: BuildRequest): Execution {
  const withKey = action.holds?.(request) ?? null
  return withKey === null ? execution : { ...execution, outbox: { ...execution.outbox, withKey } }
}

export type SendResult = { readonly tx: string; readonly reason: string | null }

/** The attempt is recorded before the broadcast, so that it is known after a crash in between. The broadcast is without the key. */
export async function recordAndSend<D extends Draft | null>(
  execution: Execution,
  build: (held: HeldExecution) => Promise<D>,
): Promise<SendResult | Extract<D, null>> {
  const { backend, outbox, blocks } = execution
  const draft = await outbox.withKey(async (held) => {
    const { signer, sponsor } = held
    const built = await build({ ...execution, signer, others: await held.readOthers(), ...(sponsor !== undefined && { sponsor }) })
    if (built === null) return built
    const { inputs, vsize } = parseTransaction(built.signed.raw)
    const slots = inputs.map((input) => input.outpoint)
    await held.record({ tx: built.signed.txid, raw: built.signed.raw, slots, feeRate: rateOf(built.fee, vsize) })
    return built
  })
  if (draft === null) return draft as Extract<D, null>
  const { txid: tx, raw } = draft.signed
  // Both run at the same time: if the note has a later block, that only delays a fee bump.
  const [result] = await Promise.all([backend.broadcast(raw), blocks.note(tx)])
  return { tx, reason: result.accepted || classifyRejection(result.reason) === 'known' ? null : result.reason }
}

/**
 * The recorded rate is rounded down: one more gives a fee not below the paid one. If an attempt also spends inputs of other actions, only
 * our share counts: `mayReplace` never replaces a live one of that kind, and after a dropped one we spend only our inputs again.
 */
function highestFee(attempts: readonly KnownAttempt[], { owns = () => true }: Action): ReplacedFee | null {
  return attempts
    .map(({ transaction, feeRate, slots }): ReplacedFee | null => {
      const fee = feeOf(transaction.vsize, feeRate + 1n)
      return { fee: (fee * BigInt(slots.filter(owns).length)) / BigInt(slots.length), rate: feeRate }
    })
    .reduce(higherFee, null)
}

/** BIP125 rule 3: a replacement pays more than all replaced transactions together. */
export function totalFee(fees: readonly ReplacedFee[]): ReplacedFee | null {
  if (fees.length === 0) return null
  return fees.reduce((sum, one) => ({ fee: sum.fee + one.fee, rate: sum.rate > one.rate ? sum.rate : one.rate }))
}

export function shareSlot(a: Pick<Attempt, 'slots'>, b: Pick<Attempt, 'slots'>): boolean {
  return a.slots.some((slot) => b.slots.includes(slot))
}

export function higherFee(a: ReplacedFee | null, b: ReplacedFee | null): ReplacedFee | null {
  if (a === null || b === null) return a ?? b
  return { fee: a.fee > b.fee ? a.fee : b.fee, rate: a.rate > b.rate ? a.rate : b.rate }
}

export async function whoSpent({ backend, outbox }: Execution, outpoint: Outpoint, attempts: readonly KnownAttempt[]) {
  const spender = await backend.spenderOf(outpoint, attempts[0]?.at ?? outbox.now)
  if (spender === null) return null
  return { ...spender, isOurs: attempts.some((attempt) => attempt.tx === spender.txid) }
}
