/**
 * Gets one action mined, from whatever its earlier attempts left behind. Safe to repeat at any moment:
 * what is live is returned, what vanished is sent again, what waits too long is replaced, and only then something new is signed.
 */
import type { Chain } from '../../protocol/chain.ts'
import { type Attempt, ChainFailure, type Outbox } from '../family.ts'
import type { BitcoinBackend } from './backend.ts'
import type { BlocksSince } from './blocks-since.ts'
import { type FeeRate, feeOf, type Replaced, rateOf, urgencyOf } from './fees.ts'
import { classifyRejection } from './rejection.ts'
import type { SignedTransaction } from './sign.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction } from './transaction.ts'

export type KnownAttempt = Attempt & { readonly transaction: ParsedTransaction }

/** What an action wants to send, signed. */
export type Draft = { readonly signed: SignedTransaction; readonly fee: bigint }

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
  /** False while replacing the live attempt would do harm. */
  mayReplace(live: KnownAttempt): boolean
}

export type Execution = {
  readonly chain: Chain
  readonly backend: BitcoinBackend
  readonly outbox: Outbox
  /** Bounded, for the given urgency. */
  readonly feeRate: (isUrgent: boolean) => Promise<FeeRate>
  readonly blocks: BlocksSince
}

export function knownAttempts(outbox: Outbox): readonly KnownAttempt[] {
  return outbox.attempts.map((attempt) => ({ ...attempt, transaction: parseTransaction(attempt.raw) }))
}

export async function execute(execution: Execution, action: Action): Promise<string> {
  const { chain, backend, outbox } = execution
  const { attempts } = action
  const { isUrgent, bumpAfterSeconds } = urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds)
  const newest = attempts.at(-1)
  const isDue = newest !== undefined && outbox.now - newest.at >= bumpAfterSeconds && (await execution.blocks.isOneSince(newest))

  const live = await findLive(backend, attempts)
  if (live !== null) {
    if (live.place === 'block' || !isDue || !action.mayReplace(live.attempt)) return live.attempt.tx
    const replaced = highestBid(attempts.filter((attempt) => shareSlot(attempt, live.attempt)))
    return replace(execution, action, { feeRate: await execution.feeRate(isUrgent), replaced, live: live.attempt }, live.attempt)
  }

  const revived = await revive(backend, action)
  if ('tx' in revived) return revived.tx
  const feeRate = await execution.feeRate(isUrgent)
  const standing = await action.inspect(feeRate)
  if (standing.kind === 'done') return standing.tx
  const rival = standing.kind === 'rival' ? standing.replaced : null
  const replaced = highestBid(revived.underpriced)
  const isOutbid = rival !== null && (replaced === null || replaced.fee <= rival.fee)
  // Raising again and again what the node refuses for its price would burn the whole allowance within seconds.
  if (replaced !== null && !isDue && !isOutbid && newest !== undefined && feeRate <= newest.feeRate) {
    throw new ChainFailure('would-fail', `the node wants a higher fee than ${newest.feeRate} sat/kvB, which will be tried later`)
  }
  const draft = await action.build({ feeRate, replaced: higherBid(isDue ? replaced : null, rival), live: null })
  await record(execution, draft)
  return broadcast(backend, draft.signed)
}

async function findLive(backend: BitcoinBackend, attempts: readonly KnownAttempt[]) {
  for (const attempt of attempts.toReversed()) {
    const place = await backend.placeOf(attempt.transaction)
    if (place !== null) return { attempt, place }
  }
  return null
}

/** The live attempt stays good whatever becomes of its replacement. */
async function replace(execution: Execution, action: Action, request: BuildRequest, live: KnownAttempt): Promise<string> {
  let draft: Draft
  try {
    draft = await action.build(request)
  } catch (error) {
    if (error instanceof ChainFailure && error.kind !== 'unreachable') return live.tx
    throw error
  }
  await record(execution, draft)
  const result = await execution.backend.broadcast(draft.signed.raw)
  return result.accepted || classifyRejection(result.reason) === 'known' ? draft.signed.txid : live.tx
}

/** Sends what was signed before, newest first: it carries the best fee. */
async function revive(
  backend: BitcoinBackend,
  action: Action,
): Promise<{ readonly tx: string } | { readonly underpriced: readonly KnownAttempt[] }> {
  const underpriced: KnownAttempt[] = []
  for (const attempt of action.attempts.toReversed()) {
    let result = await backend.broadcast(attempt.raw)
    if (!result.accepted && classifyRejection(result.reason) === 'missing' && (await action.restoreInputs(attempt))) {
      result = await backend.broadcast(attempt.raw)
    }
    if (result.accepted) return { tx: attempt.tx }
    const rejection = classifyRejection(result.reason)
    if (rejection === 'known') return { tx: attempt.tx }
    if (rejection === 'underpriced') underpriced.push(attempt)
    if (rejection === 'later' || rejection === 'invalid') throw new ChainFailure('would-fail', result.reason)
  }
  return { underpriced }
}

async function record({ outbox, blocks }: Execution, { signed, fee }: Draft): Promise<void> {
  await blocks.note(signed.txid)
  const { inputs, vsize } = parseTransaction(signed.raw)
  await outbox.record({ tx: signed.txid, raw: signed.raw, slots: inputs.map((input) => input.outpoint), feeRate: rateOf(fee, vsize) })
}

async function broadcast(backend: BitcoinBackend, signed: SignedTransaction): Promise<string> {
  const result = await backend.broadcast(signed.raw)
  if (result.accepted || classifyRejection(result.reason) === 'known') return signed.txid
  throw new ChainFailure('would-fail', `the node refused the transaction: ${result.reason}`)
}

/** The recorded rate is rounded down, so one more gives a fee that is certainly not less than was paid. */
function highestBid(attempts: readonly KnownAttempt[]): Replaced | null {
  return attempts
    .map(({ transaction, feeRate }): Replaced | null => ({ fee: feeOf(transaction.vsize, feeRate + 1n), rate: feeRate }))
    .reduce(higherBid, null)
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
