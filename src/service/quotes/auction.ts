/** Asks all solvers for a price in parallel and drops invalid answers. */
import type { Asset } from '../../protocol/asset.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Leg } from '../../protocol/order.ts'
import type { SolverQuote } from '../../protocol/wire/solver.ts'
import type { ServiceContext } from '../context.ts'
import { opaque } from '../opaque.ts'
import { type SolverClient, SolverFailure } from '../solver-client.ts'
import { type Bid, rankBids } from './rank.ts'

export type Question = {
  readonly source: Asset
  readonly destination: Asset
  /** The amount that the user fixed, and its leg. */
  readonly exact: { readonly leg: Leg; readonly amount: bigint }
  readonly extraFeeBips: number
  readonly indicative: boolean
  /** Its name. */
  readonly app: string
}

export type Auction = {
  /** Best first. */
  readonly bids: readonly Bid[]
  /** The errors of solvers that declined. */
  readonly refusals: readonly TandemError[]
}

type AuctionContext = Pick<ServiceContext, 'solvers' | 'log' | 'now'>

export async function runAuction(context: AuctionContext, question: Question): Promise<Auction> {
  const answers = await Promise.all(context.solvers.map((solver) => ask(context, solver, question)))
  return {
    bids: rankBids(
      answers.flatMap((answer) => (answer === null || answer instanceof TandemError ? [] : [answer])),
      question.exact.leg,
    ),
    refusals: answers.filter((answer) => answer instanceof TandemError),
  }
}

/** Null if the solver fails or its answer is invalid. */
async function ask(context: AuctionContext, solver: SolverClient, question: Question): Promise<Bid | TandemError | null> {
  const { exact } = question
  try {
    const quote = await solver.quote({
      from: question.source.id,
      to: question.destination.id,
      ...(exact.leg === 'source' ? { from_amount: exact.amount.toString() } : { to_amount: exact.amount.toString() }),
      extra_fee_bips: question.extraFeeBips,
      indicative: question.indicative,
      app: opaque('app', question.app),
    })
    return parseBid(quote, question, context.now())
  } catch (error) {
    if (error instanceof TandemError) return error
    if (!(error instanceof SolverFailure)) throw error
    context.log.warn({ solver: solver.id, err: error }, 'solver left out of an auction')
    return null
  }
}

function parseBid(quote: SolverQuote, question: Question, now: bigint): Bid {
  const bid: Bid = {
    solverId: quote.solver_id,
    quoteId: quote.quote_id,
    sourceAmount: BigInt(quote.source_amount),
    destinationAmount: BigInt(quote.destination_amount),
    feeBips: quote.fee_bips,
    fixedFeeUsdMicros: BigInt(quote.fixed_fee_usd_micros),
    estimatedSeconds: quote.estimated_time,
    expiresAt: BigInt(quote.expires_at),
  }
  const { exact } = question
  const answered = exact.leg === 'source' ? bid.sourceAmount : bid.destinationAmount
  if (answered !== exact.amount)
    throw new SolverFailure(`solver ${bid.solverId} was asked about ${exact.amount} and answered about ${answered}`)
  if (bid.feeBips < question.extraFeeBips || bid.feeBips > 10_000)
    throw new SolverFailure(`solver ${bid.solverId} states a fee of ${bid.feeBips} bips, of which ${question.extraFeeBips} are not its own`)
  if (bid.expiresAt <= now) throw new SolverFailure(`solver ${bid.solverId} answered with a quote that has expired`)
  if (bid.estimatedSeconds < 0) throw new SolverFailure(`solver ${bid.solverId} states a negative time`)
  return bid
}
