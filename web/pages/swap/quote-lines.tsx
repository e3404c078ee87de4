/** The live quote: price, cost, time, and how long it holds. */
import { formatAmount, formatMicros, formatRate, parseAmount } from '../../shared/amount.ts'
import { Countdown } from '../../shared/countdown.tsx'
import { formatDuration } from '../../shared/duration.ts'
import { swap } from '../../texts.ts'
import { amountBefore, fixedSide, freshQuote, from, leastOf, quote, quoteProblem, to } from './form.ts'

export function QuoteLines() {
  const [offer, source, destination] = [quote.value, from.value, to.value]
  if (quoteProblem.value !== null)
    return (
      <p class="notice alarm" role="alert">
        {quoteProblem.value}
      </p>
    )
  if (offer === null || source === null || destination === null) return null
  const [paid, got] = [BigInt(offer.source.amount), BigInt(offer.net_amount ?? offer.destination.amount)]
  const rate = formatRate({ amount: paid, decimals: source.decimals }, { amount: got, decimals: destination.decimals })
  const cost = (parseAmount(offer.source.value, 6) ?? 0n) - (parseAmount(offer.destination.value, 6) ?? 0n)
  return (
    <dl class="leaders" data-test="quote">
      <div>
        <dt>{swap.price}</dt>
        <dd>{swap.rate(source.symbol, `${rate} ${destination.symbol}`)}</dd>
      </div>
      <div>
        <dt>{swap.cost}</dt>
        <dd>{formatMicros(cost > 0n ? cost : 0n)}</dd>
      </div>
      <div>
        <dt>{swap.least}</dt>
        <dd>
          {formatAmount(leastOf(offer), destination.decimals)} {destination.symbol}
        </dd>
      </div>
      <div>
        <dt>{swap.time}</dt>
        <dd>{formatDuration(offer.estimated_time)}</dd>
      </div>
      <div>
        <dt>{swap.holds}</dt>
        <dd>{freshQuote.value === null ? swap.expired : <Countdown until={offer.expires_at} />}</dd>
      </div>
    </dl>
  )
}

/** That the quote was renewed, and at another price: said aloud, and before the user presses the button. */
export function Renewed() {
  const { value: before } = amountBefore
  const asset = fixedSide.value === 'from' ? to.value : from.value
  const text = before === null || asset === null ? null : `${formatAmount(before, asset.decimals)} ${asset.symbol}`
  return (
    <p class="small renewed" role="status">
      {text === null ? '' : fixedSide.value === 'from' ? swap.newGet(text) : swap.newPay(text)}
    </p>
  )
}
