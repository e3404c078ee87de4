/** Asks solvers for a price in parallel, within a time budget, and drops invalid answers. */
import type { Asset } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { QuoteExplanation } from '@tandem/protocol/wire/quote.ts'
import type { SolverQuote } from '@tandem/protocol/wire/solver.ts'
import type { ServiceContext, ServiceSettings } from '../context.ts'
import { opaque } from '../opaque.ts'
import { SolverFailure } from '../solver-client.ts'
import type { Member } from '../solvers/member.ts'
import { priceProblem } from './prices.ts'
import { type Bid, rankBids } from './rank.ts'
import { isNotServed } from './refusals.ts'

export type Question = {
  readonly source: Asset
  readonly destination: Asset
  /** The amount that the user fixed, and its leg. */
  readonly exact: { readonly leg: Leg; readonly amount: bigint }
  readonly extraFeeBips: number
  readonly indicative: boolean
  /** Asks for the parts of each quote. */
  readonly explain?: boolean
  /** For an order whose secret the client keeps. */
  readonly clientSecret?: boolean
  /** Its name. */
  readonly app: string
}

export type Auction = {
  /** Best first. */
  readonly bids: readonly Bid[]
  /** The errors of solvers that declined. */
  readonly refusals: readonly TandemError[]
  /** A solver that may serve the pair has not answered, or was left out. */
  readonly isUnheard: boolean
}

type AuctionContext = Pick<ServiceContext, 'pool' | 'recentAuctions' | 'prices' | 'log' | 'now'> & {
  readonly settings: Pick<ServiceSettings, 'quoteBudgetMs' | 'maxQuoteDeviationBips'>
}

/** If nobody who may serve the pair answers within the budget, a late answer is better than none: for so many budgets. */
const LATEST_BUDGETS = 5

/** For what is known about solvers and pairs. */
export const pairKey = (source: Pick<Asset, 'id'>, destination: Pick<Asset, 'id'>): string => `${source.id} ${destination.id}`

/** Ends when every solver that is waited for has answered, or at the end of the budget. */
export async function runAuction(context: AuctionContext, question: Question): Promise<Auction> {
  const { pool, settings } = context
  const { waitedFor, trials } = pool.toAsk()
  const pair = pairKey(question.source, question.destination)
  const answers: (Bid | TandemError)[] = []
  const unheard = new Set(pool.members)
  const silent = new Set([...waitedFor, ...trials])
  const budget = startTimer(settings.quoteBudgetMs, () => {
    for (const { failed } of silent) failed()
    silent.clear()
  })
  const [firstServing, firstBid] = [createSignal(), createSignal()]
  const hear = async (member: Member): Promise<void> => {
    const answer = await ask(context, member, question)
    if (silent.delete(member)) note(member, answer)
    if (answer === null) return
    answers.push(answer)
    unheard.delete(member)
    const serves = !(answer instanceof TandemError && isNotServed(answer))
    member.noteServes(pair, serves)
    if (serves) firstServing.give()
    if (!(answer instanceof TandemError)) firstBid.give()
  }
  const hearAll = (members: readonly Member[]) => Promise.all(members.map(hear))
  const bids = () => answers.filter((answer): answer is Bid => !(answer instanceof TandemError))

  const tried = hearAll(trials)
  const heard = hearAll(waitedFor)
  const everyone = Promise.all([heard, tried]).finally(budget.stop)
  everyone.catch((error: unknown) => context.log.error({ err: error }, 'an auction failed'))
  await Promise.race([heard, budget.over])
  // Of solvers that fail often, the first bid is enough: the others may be the ones that hang.
  if (bids().length === 0) await Promise.race([everyone, budget.over, firstBid.given])
  const isUnheard = () => [...unheard].some((member) => member.mayServe(pair))
  const isServed = answers.some((answer) => !(answer instanceof TandemError && isNotServed(answer)))
  if (!isServed && isUnheard()) await Promise.race([everyone, firstServing.given])

  const ranked = rankBids(bids(), question.exact.leg, pool.reliabilityOf)
  // A solver does not keep an indicative quote. With one solver, an order needs no auction.
  if (!question.indicative && pool.members.length > 1) context.recentAuctions.remember(question, ranked, context.now())
  return { bids: ranked, refusals: answers.filter((answer) => answer instanceof TandemError), isUnheard: isUnheard() }
}

function createSignal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}

function startTimer(ms: number, onOver: () => void): { readonly over: Promise<void>; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    // Answers that came while this process was busy are read before that.
    const end = () => {
      onOver()
      resolve()
    }
    timer = setTimeout(() => setImmediate(end), ms)
  })
  return { over, stop: () => clearTimeout(timer) }
}

/** A refusal is an answer too. */
function note(member: Member, answer: Bid | TandemError | null): void {
  if (answer === null) member.failed()
  else member.answered()
}

/** Null if the solver is too slow, fails, or its answer is invalid. */
async function ask(context: AuctionContext, member: Member, question: Question): Promise<Bid | TandemError | null> {
  const { exact } = question
  const { log, settings } = context
  member.asked()
  try {
    const quote = await member.client.quote(
      {
        from: question.source.id,
        to: question.destination.id,
        ...(exact.leg === 'source' ? { from_amount: exact.amount.toString() } : { to_amount: exact.amount.toString() }),
        extra_fee_bips: question.extraFeeBips,
        indicative: question.indicative,
        app: opaque('app', question.app),
        ...(question.explain === true && { explain: true }),
        ...(question.clientSecret === true && { client_secret: true }),
      },
      settings.quoteBudgetMs * LATEST_BUDGETS,
    )
    return parseBid(context, quote, question)
  } catch (error) {
    if (error instanceof TandemError) return error
    if (!(error instanceof SolverFailure)) throw error
    log.warn({ solver: member.id, err: error }, 'solver left out of an auction')
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
    throw new SolverFailure(`solver ${bid.solverId} was asked about ${exact.amount} and answered about ${answered}`)
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
    sourceRange: range === undefined ? null : { least: BigInt(range.least), most: BigInt(range.most) },
  }
}
