/** Verifies that a quote is for what was asked, and that what it shows to the user is what it says to the program. */

import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { formatUnits, parseAmount } from '@tandem/protocol/amount.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'
import type { PinnedAsset } from './pinned.ts'

export type QuoteAsked = {
  readonly source: PinnedAsset
  readonly destination: PinnedAsset
  /** One of both is given. */
  readonly amount: { readonly exactIn: bigint } | { readonly exactOut: bigint }
  /** The user's own limits, after the fee of the payout. A limit is null if the user named none. */
  readonly minToAmount: bigint | null
  readonly maxFromAmount: bigint | null
  readonly slippage: number
  /** The payout shall also give some of the destination chain's coin. */
  readonly gas: boolean
  /** Unix seconds. */
  readonly now: bigint
}

/** The service chooses fees and dollar values. What counts is what the user gets for what they pay. */
export function verifyQuote(quote: Quote, asked: QuoteAsked): void {
  const { amount, slippage, now, minToAmount, maxFromAmount } = asked
  const paid = verifyAmount('source', quote, asked.source)
  const received = verifyAmount('destination', quote, asked.destination)
  if ('exactIn' in amount) verifySame('quote.source.amount', amount.exactIn, paid)
  else verifyThat(received >= amount.exactOut, 'quote.destination.amount', `${amount.exactOut} or more`, received)
  verifyThat(maxFromAmount === null || paid <= maxFromAmount, 'quote.source.amount', `${maxFromAmount} or less`, paid)
  verifySame('quote.slippage', slippage, quote.slippage)
  verifyThat(quote.expires_at > Number(now), 'quote.expires_at', `a time after ${now}`, quote.expires_at)
  verifyGas(quote, asked)
  const net = received - verifyNetworkFee(quote, received)
  verifyThat(minToAmount === null || net >= minToAmount, 'quote.destination.amount', `${minToAmount} or more`, net)
}

/** Its price is inside the amounts, which the user's own limits bound. */
function verifyGas({ destination_gas: given }: Quote, { gas, destination }: QuoteAsked): void {
  verifySame('quote.destination_gas', gas, given !== undefined)
  if (given === undefined) return
  verifySame('quote.destination_gas.asset', destination.chain.nativeAsset, given.asset)
  verifyParsed('quote.destination_gas.amount', 'an amount', given.amount, parseAmount)
}

function verifyNetworkFee(quote: Quote, received: bigint): bigint {
  if (quote.network_fee === undefined && quote.net_amount === undefined) return 0n
  const fee = verifyParsed('quote.network_fee', 'an amount', quote.network_fee ?? '', parseAmount)
  verifyThat(fee < received, 'quote.network_fee', `less than ${received}`, fee)
  verifySame('quote.net_amount', (received - fee).toString(), quote.net_amount)
  return fee
}

function verifyAmount(leg: 'source' | 'destination', quote: Quote, { asset }: PinnedAsset): bigint {
  const side = quote[leg]
  verifySame(`quote.${leg}.asset`, asset.id, side.asset)
  const amount = verifyParsed(`quote.${leg}.amount`, 'an amount', side.amount, parseAmount)
  verifySame(`quote.${leg}.display`, formatUnits(amount, asset.decimals), side.display)
  return amount
}
