/** GET /quote: asks solvers for quotes, best first. Answers are cached for a short time as text, so a repeated question is cheap. */
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { App } from '@tandem/party/store/apps/apps.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { success } from '@tandem/protocol/wire/envelope.ts'
import { type Quote, type QuoteQuery, quoteToWire } from '@tandem/protocol/wire/quote.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { assertHealthy, type ServiceContext } from '../context.ts'
import { requestGas, solversFor } from '../destination-gas/destination-gas.ts'
import { relayedRefusal, runAuction } from './auction.ts'
import { assertWithinLimits, isWithinLimits, type Pair, parsePair } from './pair.ts'
import { assertNotHalted, extraFeeBips } from './prices.ts'
import type { Bid } from './rank.ts'

export interface QuoteDesk {
  /** Returns the cached answer to the same question of the same app. */
  recent(app: App, question: string): string | undefined
  /** Resolves to JSON. `question` is the query as the client wrote it; it must have the meaning of `query`. */
  answer(app: App, question: string, query: QuoteQuery): Promise<string>
}

const MAX_CACHED_ANSWERS = 10_000
/** Longer questions are valid but unusual, and would take much memory, so they are not cached. */
const MAX_CACHED_LENGTH = 1_000

export function createQuoteDesk(context: ServiceContext): QuoteDesk {
  const answers = createTtlCache<string>({ keepMs: context.settings.quoteCacheMs, maxEntries: MAX_CACHED_ANSWERS })
  // The key contains the app, because solvers may have a price for each app, and apps differ in slippage and permissions.
  const prefixOf = ({ name, defaultSlippageBips, permissions }: App) => `${name} ${defaultSlippageBips} ${permissions.includes('explain')} `
  // Authentication caches one object per app.
  const prefixes = new WeakMap<App, string>()
  function keyOf(app: App, question: string): string {
    let prefix = prefixes.get(app)
    if (prefix === undefined) {
      prefix = prefixOf(app)
      prefixes.set(app, prefix)
    }
    return prefix + question
  }

  return {
    recent: (app, question) => answers.peek(keyOf(app, question)),
    async answer(app, question, query) {
      if (query.explain === true && !app.permissions.includes('explain'))
        throw new TandemError(
          'forbidden',
          'explain: this app id may not ask for it; the operator sets its permissions with `tandem apps update --permissions`',
        )
      const ask = async () =>
        JSON.stringify(success(await answerQuote(context, app.name, query, query.slippage ?? app.defaultSlippageBips)))
      return question.length > MAX_CACHED_LENGTH ? ask() : answers.get(keyOf(app, question), ask)
    },
  }
}

async function answerQuote(context: ServiceContext, app: string, query: QuoteQuery, slippageBips: number): Promise<Quote[]> {
  const pair = parsePair(context, query.from, query.to)
  const { source, destination } = pair
  const exact = parseExact(query)
  assertWithinLimits(pair[exact.leg], exact.amount, exact.leg === 'source' ? 'from_amount' : 'to_amount')
  const extra = extraFeeBips(context.settings, query.affiliate_fee ?? 0, 'affiliate_fee')
  const prices = { source: context.prices.of(source.id), destination: context.prices.of(destination.id) }
  const known = { asset: pair[exact.leg], price: prices[exact.leg], amount: exact.amount }
  const gas = query.destination_gas === true ? requestGas(context, destination, known) : null
  assertNotHalted(context, source.id, destination.id)
  assertHealthy(context, [source.chain, destination.chain])
  context.relayFunds.assertPayable(destination.chain)
  if (gas !== null) context.relayFunds.assertCanGiveGas(destination.chain)
  await context.operatorHalts.assertOpen([source.chain, destination.chain])

  const indicative = query.indicative ?? false
  const [auction, networkFee] = await Promise.all([
    runAuction(context, {
      source,
      destination,
      exact,
      extraFeeBips: extra + (gas?.feeBips ?? 0),
      only: solversFor(context, gas),
      indicative,
      app,
      explain: query.explain ?? false,
      clientSecret: query.client_secret ?? false,
    }),
    clientFor(context.clients, destination.chain).payoutFee?.(destination.id) ?? 0n,
  ])
  const bids = usableBids(auction.bids, pair, exact.leg, networkFee)
  if (bids.length === 0) {
    const refusal = relayedRefusal(auction.refusals, auction.isIncomplete)
    if (refusal !== null) throw refusal
    // Solvers that do not answer, or answer nonsense, are a temporary failure, unlike a price that nobody has.
    if (auction.bids.length === 0) throw new TandemError('chain_unavailable', 'no solver answers at the moment; try again')
    throw new TandemError(
      'no_quotes',
      `no solver has a price for ${source.id} → ${destination.id} at the moment: ask again in some seconds, or for another pair`,
    )
  }
  return bids.map((bid) =>
    quoteToWire({
      ...bid,
      // A solver does not honour an indicative quote, so the id of one binds nobody.
      quoteId: indicative
        ? bid.quoteId
        : context.quoteIds.issue({ ...bid, networkFee, gas }, { source, destination, extraFeeBips: extra, app }),
      source: { asset: source, amount: bid.sourceAmount, price: prices.source },
      destination: { asset: destination, amount: bid.destinationAmount, price: prices.destination },
      slippageBips,
      networkFee,
      gas,
    }),
  )
}

function parseExact(query: QuoteQuery): { readonly leg: Leg; readonly amount: bigint } {
  const { from_amount: fromAmount, to_amount: toAmount } = query
  if (fromAmount !== undefined && toAmount === undefined) return { leg: 'source', amount: parseAmount(fromAmount, 'from_amount') }
  if (toAmount !== undefined && fromAmount === undefined) return { leg: 'destination', amount: parseAmount(toAmount, 'to_amount') }
  const got = fromAmount === undefined ? 'neither' : 'both'
  throw new TandemError('bad_request', `exactly one of from_amount and to_amount must be given, got ${got}`)
}

/** Bids that allow no order are dropped, because the other amount is out of range or does not cover the fee of the payout. */
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
    `the ${best.destinationAmount} ${pair.destination.id} that would be received do not cover the network fee of ${networkFee}: ask for a larger amount`,
  )
}
