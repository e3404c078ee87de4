/** GET /quote: from the query to quotes, best first. The same question asked again within a moment gets the same answer. */
import { clientFor } from '../../engine/facts.ts'
import { parseAmount } from '../../protocol/amount.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Leg } from '../../protocol/order.ts'
import { type Quote, type QuoteQuery, quoteToWire } from '../../protocol/wire/quote.ts'
import type { App } from '../../store/apps.ts'
import { assertHealthy, type ServiceContext } from '../context.ts'
import { createShortMemory } from '../short-memory.ts'
import { type Auction, type Question, runAuction } from './auction.ts'
import { extraFeeBips } from './fee.ts'
import { assertWithinLimits, isWithinLimits } from './limits.ts'
import { type Pair, parsePair } from './pair.ts'
import type { Bid } from './rank.ts'

export type QuoteDesk = (app: App, query: QuoteQuery) => Promise<readonly Quote[]>

const MAX_REMEMBERED_QUESTIONS = 10_000

type Market = { readonly auction: Auction; readonly networkFee: bigint }

export function createQuoteDesk(context: ServiceContext): QuoteDesk {
  const markets = createShortMemory<Market>({ keepMs: context.settings.quoteCacheMs, maxEntries: MAX_REMEMBERED_QUESTIONS })

  async function askMarket(question: Question): Promise<Market> {
    const auction = await runAuction(context, question)
    return { auction, networkFee: await clientFor(context.clients, question.destination.chain).payoutFee(question.destination.id) }
  }

  return async (app, query) => {
    const pair = parsePair(context, query.from, query.to)
    const { source, destination } = pair
    const exact = parseExact(query)
    assertWithinLimits(pair[exact.leg], exact.amount, exact.leg === 'source' ? 'from_amount' : 'to_amount')
    const extra = extraFeeBips(context.settings, query.affiliate_fee ?? 0, 'affiliate_fee')
    const prices = { source: context.prices.of(source.id), destination: context.prices.of(destination.id) }
    assertHealthy(context, [source.chain, destination.chain])

    const indicative = query.indicative ?? false
    const key = `${source.id} ${destination.id} ${exact.leg} ${exact.amount} ${extra} ${indicative}`
    const { auction, networkFee } = await markets.get(key, () => askMarket({ source, destination, exact, extraFeeBips: extra, indicative }))
    const bids = usableBids(auction.bids, pair, exact.leg, networkFee)
    if (bids.length === 0) {
      throw auction.refusals[0] ?? new TandemError('no_quotes', `no solver has a price for ${source.id} → ${destination.id} at the moment`)
    }
    return bids.map((bid) =>
      quoteToWire({
        ...bid,
        source: { asset: source, amount: bid.sourceAmount, price: prices.source },
        destination: { asset: destination, amount: bid.destinationAmount, price: prices.destination },
        slippageBips: query.slippage ?? app.defaultSlippageBips,
        networkFee,
      }),
    )
  }
}

function parseExact(query: QuoteQuery): { readonly leg: Leg; readonly amount: bigint } {
  const { from_amount: fromAmount, to_amount: toAmount } = query
  if (fromAmount !== undefined && toAmount === undefined) return { leg: 'source', amount: parseAmount(fromAmount, 'from_amount') }
  if (toAmount !== undefined && fromAmount === undefined) return { leg: 'destination', amount: parseAmount(toAmount, 'to_amount') }
  const got = fromAmount === undefined ? 'neither' : 'both'
  throw new TandemError('bad_request', `exactly one of from_amount and to_amount must be given, got ${got}`)
}

/** An order could not be made from a quote whose other side is out of range, or would not pay for its own last step. */
function usableBids(bids: readonly Bid[], pair: Pair, exact: Leg, networkFee: bigint): readonly Bid[] {
  const best = bids[0]
  if (best === undefined) return []
  const usable = bids.filter(
    (bid) =>
      isWithinLimits(pair.source, bid.sourceAmount) &&
      isWithinLimits(pair.destination, bid.destinationAmount) &&
      bid.destinationAmount > networkFee,
  )
  if (usable.length > 0) return usable
  if (exact === 'source') assertWithinLimits(pair.destination, best.destinationAmount, 'the amount that would be received')
  else assertWithinLimits(pair.source, best.sourceAmount, 'the amount that would be sent')
  throw new TandemError(
    'amount_out_of_range',
    `the ${best.destinationAmount} ${pair.destination.id} that would be received do not cover the network fee of ${networkFee}`,
  )
}
