/** Solvers are asked for a price in parallel, within a time budget. Invalid answers are dropped. */
import type { Asset } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { listingOf } from '@tandem/protocol/registry/listing-digest.ts'
import type { QuoteExplanation } from '@tandem/protocol/wire/quote.ts'
import type { SolverQuote } from '@tandem/protocol/wire/solver.ts'
import type { ServiceContext, ServiceSettings } from '../context.ts'
import { opaque } from '../opaque.ts'
import { SolverFailure } from '../solver-client.ts'
import type { Member } from '../solvers/member.ts'
import { priceProblem } from './prices.ts'
import { type Bid, rankBids } from './rank.ts'

export type Question = {
  readonly source: Asset
  readonly destination: Asset
  readonly exact: { readonly leg: Leg; readonly amount: bigint }
  readonly extraFeeBips: number
  readonly indicative: boolean
  readonly explain?: boolean
  /** The client of the order keeps the secret. */
  readonly clientSecret?: boolean
  readonly app: string
  /** Only these solvers are asked. Null means all of them. */
  readonly only?: readonly string[] | null
}

export type Auction = {
  /** The best bid comes first. */
  readonly bids: readonly Bid[]
  readonly refusals: readonly TandemError[]
  /** This is true if a solver that may serve the pair has not answered or was not asked. */
  readonly isIncomplete: boolean
}

type AuctionContext = Pick<ServiceContext, 'registry' | 'pool' | 'recentAuctions' | 'prices' | 'log' | 'now'> & {
  readonly settings: Pick<ServiceSettings, 'quoteBudgetMs' | 'maxQuoteDeviationBips'>
}

/** If no solver that may serve the pair answers within the budget, a late answer is better than none, until this many budgets have passed. */
const MAX_BUDGETS = 5

export const pairKey = (source: Pick<Asset, 'id'>, destination: Pick<Asset, 'id'>): string => `${source.id} ${destination.id}`

/** The auction ends when every solver in good standing has answered, or at the end of the budget. */
export async function runAuction(context: AuctionContext, question: Question): Promise<Auction> {
  const { pool, settings } = context
  const isAsked = ({ id }: Member) => question.only?.includes(id) !== false
  const toAsk = pool.toAsk()
  const [waitedFor, trials] = [toAsk.waitedFor.filter(isAsked), toAsk.trials.filter(isAsked)]
  const pair = pairKey(question.source, question.destination)
  const answers: (Bid | TandemError)[] = []
  const missing = new Set(pool.members.filter(isAsked))
  const silent = new Set([...waitedFor, ...trials])
  const budget = startTimer(settings.quoteBudgetMs, () => {
    for (const { failed } of silent) failed()
    silent.clear()
  })
  const [firstServing, firstBid] = [createSignal(), createSignal()]
  const collect = async (member: Member): Promise<void> => {
    const answer = await ask(context, member, question)
    if (silent.delete(member)) rate(member, answer)
    if (answer === null) return
    answers.push(answer)
    missing.delete(member)
    const serves = !(answer instanceof TandemError && isNotServed(answer))
    member.recordServes(pair, serves)
    if (serves) firstServing.resolve()
    if (!(answer instanceof TandemError)) firstBid.resolve()
  }
  const collectAll = (members: readonly Member[]) => Promise.all(members.map(collect))
  const bids = () => answers.filter((answer): answer is Bid => !(answer instanceof TandemError))

  const tried = collectAll(trials)
  const awaited = collectAll(waitedFor)
  const everyone = Promise.all([awaited, tried]).finally(budget.stop)
  everyone.catch((error: unknown) => context.log.error({ err: error }, 'an auction failed'))
  await Promise.race([awaited, budget.over])
  // The first bid of the solvers that fail often is enough, because the others may hang.
  if (bids().length === 0) await Promise.race([everyone, budget.over, firstBid.promise])
  const isIncomplete = () => [...missing].some((member) => member.mayServe(pair))
  const isServed = answers.some((answer) => !(answer instanceof TandemError && isNotServed(answer)))
  if (!isServed && isIncomplete()) await Promise.race([everyone, firstServing.promise])

  const ranked = rankBids(bids(), question.exact.leg, pool.reliabilityOf)
  // A solver does not honour an indicative quote. An order at a single solver needs no auction.
  // An auction of a few would hide the others from an order that anyone may take.
  if (!question.indicative && (question.only ?? null) === null && pool.members.length > 1)
    context.recentAuctions.remember(question, ranked, context.now())
  return { bids: ranked, refusals: answers.filter((answer) => answer instanceof TandemError), isIncomplete: isIncomplete() }
}

function createSignal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function startTimer(ms: number, onOver: () => void): { readonly over: Promise<void>; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    // `setImmediate` lets answers that came while this process was busy be read first.
    const end = () => {
      onOver()
      resolve()
    }
    timer = setTimeout(() => setImmediate(end), ms)
  })
  return { over, stop: () => clearTimeout(timer) }
}

/** A refusal is an answer too. */
function rate(member: Member, answer: Bid | TandemError | null): void {
  if (answer === null) member.failed()
  else member.answered()
}

/** Resolves to null if the solver is too slow, fails, or its answer is invalid. */
async function ask(context: AuctionContext, member: Member, question: Question): Promise<Bid | TandemError | null> {
  const { exact } = question
  const { log, settings } = context
  member.asked()
  try {
    const quote = await member.client.quote(
      {
        from: question.source.id,
        to: question.destination.id,
        from_listing: listingOf(context.registry, question.source.id),
        to_listing: listingOf(context.registry, question.destination.id),
        ...(exact.leg === 'source' ? { from_amount: exact.amount.toString() } : { to_amount: exact.amount.toString() }),
        extra_fee_bips: question.extraFeeBips,
        indicative: question.indicative,
        app: opaque('app', question.app),
        ...(question.explain === true && { explain: true }),
        ...(question.clientSecret === true && { client_secret: true }),
      },
      settings.quoteBudgetMs * MAX_BUDGETS,
    )
    return parseBid(context, quote, question)
  } catch (error) {
    if (error instanceof TandemError) return error
    if (!(error instanceof SolverFailure)) throw error
    log.warn({ solver: member.id, err: error }, 'the solver has no valid answer in an auction')
    return null
  }
}

function parseBid({ now, prices, settings }: AuctionContext, quote: SolverQuote, question: Question): Bid {
  const bid: Bid = {
    solverId: quote.solver_id,
    quoteId: quote.quote_id,
    sourceAmount: BigInt(quote.source_amount),
    destinationAmount: BigInt(quote.destination_amount),
    feeBips: quote.fee_bips,
    fixedFeeUsdMicros: BigInt(quote.fixed_fee_usd_micros),
    estimatedSeconds: quote.estimated_time,
    expiresAt: BigInt(quote.expires_at),
    explanation: question.explain === true ? parseExplanation(quote) : null,
  }
  const { exact } = question
  const answered = exact.leg === 'source' ? bid.sourceAmount : bid.destinationAmount
  if (answered !== exact.amount)
    throw new SolverFailure(`solver ${bid.solverId} was asked for a quote of ${exact.amount} and quoted ${answered}`)
  if (bid.feeBips < question.extraFeeBips || bid.feeBips > 10_000)
    throw new SolverFailure(`solver ${bid.solverId} states a fee of ${bid.feeBips} bips, of which ${question.extraFeeBips} are not its own`)
  if (bid.expiresAt <= now()) throw new SolverFailure(`solver ${bid.solverId} answered with a quote that has expired`)
  if (bid.estimatedSeconds < 0) throw new SolverFailure(`solver ${bid.solverId} states a negative time`)
  const { source, destination } = question
  const own = { source: prices.of(source.id), destination: prices.of(destination.id), maxDeviationBips: settings.maxQuoteDeviationBips }
  const problem = priceProblem(bid, { source, destination }, own)
  if (problem !== null) throw new SolverFailure(`solver ${bid.solverId}: ${problem}`)
  return bid
}

function parseExplanation({ parts = [], source_range: range }: SolverQuote): QuoteExplanation {
  return {
    parts: parts.map(({ name, ppm, usd_micros: micros }) => ({
      name,
      ppm: ppm ?? null,
      usdMicros: micros === undefined ? null : BigInt(micros),
    })),
    sourceRange: range === undefined ? null : { min: BigInt(range.min), max: BigInt(range.max) },
  }
}

const RETRY_AFTER_SECONDS = 2

const isNotServed = ({ code }: TandemError): boolean => code === 'unsupported_pair'

/**
 * A refusal is relayed only if every solver that serves the pair refused. A temporary refusal may end, so the client is told to try again.
 * `isIncomplete` says that a solver that may serve the pair did not answer. Returns null if nobody refused.
 */
export function relayedRefusal(refusals: readonly TandemError[], isIncomplete: boolean): TandemError | null {
  const [first] = refusals
  if (first === undefined) return null
  const serving = refusals.filter((refusal) => !isNotServed(refusal))
  const temporary = serving.find(({ code }) => code === 'chain_unavailable')
  if (temporary !== undefined) return temporary
  if (!isIncomplete) return serving[0] ?? first
  return new TandemError('chain_unavailable', 'a solver that may serve this pair does not answer at the moment; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
