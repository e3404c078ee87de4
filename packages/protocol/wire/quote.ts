/** GET /quote has this query and result. */
import { type Static, Type } from 'typebox'
import { formatUnits, formatUsd, type UsdPrice, usdMicros } from '../amount.ts'
import type { Asset } from '../asset.ts'

const AmountText = Type.String({ description: 'a positive integer in the smallest unit, as a decimal string' })

export const QuoteQuery = Type.Object({
  from: Type.String({ description: 'an asset as <chain>:<token>' }),
  to: Type.String({ description: 'an asset as <chain>:<token>' }),
  from_amount: Type.Optional(AmountText),
  to_amount: Type.Optional(AmountText),
  affiliate_fee: Type.Optional(Type.Integer({ minimum: 0, description: 'a whole number of bips, 0 or more' })),
  slippage: Type.Optional(Type.Integer({ minimum: 0, maximum: 500, description: 'a whole number of bips from 0 to 500' })),
  destination_gas: Type.Optional(
    Type.Boolean({
      description:
        "true: the payout also gives some of the destination chain's coin, to pay for fees there; its price is part of the quote",
    }),
  ),
  indicative: Type.Optional(Type.Boolean({ description: 'true or false' })),
  client_secret: Type.Optional(
    Type.Boolean({ description: 'true: for an order with `secret_hash`. Its price includes that the client may keep the secret' }),
  ),
  explain: Type.Optional(Type.Boolean({ description: 'true: with the parts of each quote, for apps with the permission `explain`' })),
})
export type QuoteQuery = Static<typeof QuoteQuery>

const QuoteAsset = Type.Object(
  {
    asset: Type.String({ description: 'as <chain>:<token>' }),
    amount: Type.String({ description: 'in the smallest unit' }),
    display: Type.String({ description: 'the amount in whole coins' }),
    value: Type.String({ description: 'US dollars' }),
  },
  { title: 'QuoteAmount' },
)

const QuotePart = Type.Object(
  {
    name: Type.String({
      description: 'base, volatility, inventory, premium, extra, fixed, network_source, network_destination, or a name of the solver',
    }),
    ppm: Type.Optional(Type.Integer({ description: 'millionths of the source amount; negative: in favour of the user' })),
    usd: Type.Optional(Type.String({ description: 'dollars' })),
  },
  { title: 'QuotePart' },
)

const QuoteGas = Type.Object(
  {
    asset: Type.String({ description: 'the coin that pays fees on the destination chain, as <chain>:<token>' }),
    amount: Type.String({ description: 'in the smallest unit' }),
    display: Type.String({ description: 'the amount in whole coins' }),
    fee: Type.Integer({ description: 'bips of the source amount that it costs, inside the amounts' }),
  },
  { title: 'QuoteGas', description: 'only with `destination_gas`: what the payout also gives' },
)

export const Quote = Type.Object(
  {
    solver_id: Type.String({ description: 'who makes the offer' }),
    quote_id: Type.String({
      description: 'the id of this offer, for quote_id of POST /orders; that of an indicative quote is refused there',
    }),
    estimated_time: Type.Integer({ description: 'seconds from the funding of the source to the payout' }),
    source: QuoteAsset,
    destination: QuoteAsset,
    slippage: Type.Integer({ description: 'bips: how much less than `destination.amount` an order may ask for' }),
    fee: Type.Integer({ description: 'bips, inside the amounts' }),
    fixed_fee: Type.String({ description: 'US dollars, inside the amounts' }),
    expires_at: Type.Integer({ description: 'unix seconds: until then it can be ordered' }),
    network_fee: Type.Optional(
      Type.String({
        description: 'only where the fee of the payout is taken out of the destination amount: its maximum, in the smallest unit',
      }),
    ),
    net_amount: Type.Optional(
      Type.String({ description: 'only with network_fee: the minimum that the recipient gets, in the smallest unit' }),
    ),
    destination_gas: Type.Optional(QuoteGas),
    parts: Type.Optional(Type.Array(QuotePart, { description: 'only with `explain`: what the price consists of' })),
    source_range: Type.Optional(
      Type.Object(
        { min: Type.String({ description: 'in the smallest unit' }), max: Type.String({ description: 'in the smallest unit' }) },
        { description: 'what the solver takes of the source now, by its limits and inventory' },
      ),
    ),
  },
  { title: 'Quote' },
)
export type Quote = Static<typeof Quote>

export type PricedAmount = { readonly asset: Asset; readonly amount: bigint; readonly price: UsdPrice }

export type QuoteExplanation = {
  readonly parts: readonly { readonly name: string; readonly ppm: number | null; readonly usdMicros: bigint | null }[]
  readonly sourceRange: { readonly min: bigint; readonly max: bigint } | null
}

export type QuoteFacts = {
  readonly solverId: string
  readonly quoteId: string
  readonly source: PricedAmount
  readonly destination: PricedAmount
  readonly slippageBips: number
  readonly feeBips: number
  readonly fixedFeeUsdMicros: bigint
  readonly estimatedSeconds: number
  readonly expiresAt: bigint
  readonly explanation: QuoteExplanation | null
  /** The fee of the payout is taken out of the destination amount. It is 0 where another party pays it. */
  readonly networkFee: bigint
  /** It is null unless asked for. */
  readonly gas: { readonly coin: Pick<Asset, 'id' | 'decimals'>; readonly amount: bigint; readonly feeBips: number } | null
}

export function quoteToWire(quote: QuoteFacts): Quote {
  const { destination, networkFee } = quote
  return {
    solver_id: quote.solverId,
    quote_id: quote.quoteId,
    estimated_time: quote.estimatedSeconds,
    source: quoteAssetToWire(quote.source),
    destination: quoteAssetToWire(destination),
    slippage: quote.slippageBips,
    fee: quote.feeBips,
    fixed_fee: formatUnits(quote.fixedFeeUsdMicros, 6),
    expires_at: Number(quote.expiresAt),
    ...(quote.gas !== null && { destination_gas: gasToWire(quote.gas) }),
    ...(quote.explanation !== null && explanationToWire(quote.explanation)),
    ...(networkFee > 0n && {
      network_fee: networkFee.toString(),
      net_amount: (destination.amount > networkFee ? destination.amount - networkFee : 0n).toString(),
    }),
  }
}

function gasToWire({ coin, amount, feeBips }: NonNullable<QuoteFacts['gas']>): Static<typeof QuoteGas> {
  return { asset: coin.id, amount: amount.toString(), display: formatUnits(amount, coin.decimals), fee: feeBips }
}

function explanationToWire({ parts, sourceRange }: QuoteExplanation): Pick<Quote, 'parts' | 'source_range'> {
  return {
    parts: parts.map(({ name, ppm, usdMicros: micros }) => ({
      name,
      ...(ppm !== null && { ppm }),
      ...(micros !== null && { usd: micros < 0n ? `-${formatUnits(-micros, 6)}` : formatUnits(micros, 6) }),
    })),
    ...(sourceRange !== null && { source_range: { min: sourceRange.min.toString(), max: sourceRange.max.toString() } }),
  }
}

function quoteAssetToWire({ asset, amount, price }: PricedAmount): Static<typeof QuoteAsset> {
  return {
    asset: asset.id,
    amount: amount.toString(),
    display: formatUnits(amount, asset.decimals),
    value: formatUsd(usdMicros(amount, asset.decimals, price)),
  }
}
