/** The live quote: price, cost, time, and how long it is valid. */
import { amountsOfQuote } from '@tandem/sdk'
import { formatAmount, formatMicros, formatRate, shareOfUsd } from '../../shared/amount.ts'
import { Countdown } from '../../shared/countdown.tsx'
import { formatDuration } from '../../shared/duration.ts'
import { Problem } from '../../shared/problem.tsx'
import { swap } from '../../texts.ts'
import { symbolOf } from './catalog.ts'
import { amountBefore, fixedSide, freshQuote, from, maxPaid, minReceived, quote, quoteProblem, to } from './form.ts'

export function QuoteLines() {
  const [offer, source, destination] = [quote.value, from.value, to.value]
  if (quoteProblem.value !== null) return <Problem of={quoteProblem.value} />
  if (offer === null || source === null || destination === null) return null
  const { pays, gets } = amountsOfQuote(offer)
  const rate = formatRate({ amount: pays, decimals: source.decimals }, { amount: gets.amount, decimals: destination.decimals })
  const cost =
    shareOfUsd(offer.source.value, pays, pays) - shareOfUsd(offer.destination.value, gets.amount, BigInt(offer.destination.amount))
  const limit =
    fixedSide.value === 'from'
      ? { name: swap.minReceived, amount: minReceived(offer), asset: destination }
      : { name: swap.maxPaid, amount: maxPaid(offer), asset: source }
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
        <dt>{limit.name}</dt>
        <dd>
          {formatAmount(limit.amount, limit.asset.decimals)} {limit.asset.symbol}
        </dd>
      </div>
      {offer.destination_gas !== undefined && (
        <div>
          <dt>{swap.alsoGets}</dt>
          <dd>
            {offer.destination_gas.display} {symbolOf(offer.destination_gas.asset)}
          </dd>
        </div>
      )}
      <div>
        <dt>{swap.time}</dt>
        <dd>{formatDuration(offer.estimated_time)}</dd>
      </div>
      <div>
        <dt>{swap.validFor}</dt>
        <dd>{freshQuote.value === null ? swap.expired : <Countdown until={offer.expires_at} />}</dd>
      </div>
    </dl>
  )
}

/** Announces, also to screen readers, that the quote was renewed at another price, before the user presses the button. */
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
