/** One side of the swap: its asset and its amount. The side that the user typed is fixed, the other follows the quote. */
import { useSignal } from '@preact/signals'
import { amountsOfQuote, type Quote } from '../../../sdk/src/index.ts'
import { formatAmount, formatMicros, plainAmount, shareOfUsd } from '../../shared/amount.ts'
import { DownIcon } from '../../shared/icons.tsx'
import { swap } from '../../texts.ts'
import { AssetIcon, AssetPicker } from './asset-picker.tsx'
import { amount, amountText, fixedSide, from, quote, type Side, to } from './form.ts'

export function AmountRow({ side }: { readonly side: Side }) {
  const isPicking = useSignal(false)
  const asset = side === 'from' ? from.value : to.value
  const title = side === 'from' ? swap.pay : swap.get
  if (asset === null) return <div class="side" aria-busy="true" />
  const isFixed = fixedSide.value === side
  const priced = quote.value === null ? null : pricedSide(quote.value, side)
  const text = isFixed ? amountText.value : priced === null ? '' : plainAmount(priced.amount, asset.decimals)
  const isOff = isFixed && amount.value !== null && (amount.value < asset.min || amount.value > asset.max)
  const range = swap.outOfRange(formatAmount(asset.min, asset.decimals), formatAmount(asset.max, asset.decimals))
  return (
    <div class="side">
      <span class="label">{title}</span>
      <div class="side-line">
        <button
          type="button"
          class="asset-button"
          aria-haspopup="dialog"
          onClick={() => {
            isPicking.value = true
          }}
        >
          <AssetIcon asset={asset} />
          <span class="asset-names">
            <b>{asset.symbol}</b> <span class="small soft">{asset.chain.display}</span>
            <span class="hidden">{swap.chooseAsset(title)}</span>
          </span>
          <DownIcon />
        </button>
        <input
          class="amount"
          inputMode="decimal"
          autocomplete="off"
          spellcheck={false}
          placeholder="0"
          aria-label={swap.amountOf(title, asset.symbol)}
          aria-invalid={isFixed && amountText.value !== '' && (amount.value === null || isOff)}
          value={text}
          onInput={({ currentTarget }) => {
            fixedSide.value = side
            amountText.value = currentTarget.value
          }}
        />
      </div>
      <span class={`under small ${isOff ? 'wrong' : 'soft'}`}>
        {isOff ? range : priced === null ? '\u00a0' : formatMicros(priced.micros)}
      </span>
      {isPicking.value && (
        <AssetPicker
          side={side}
          onClose={() => {
            isPicking.value = false
          }}
        />
      )}
    </div>
  )
}

/** What the user pays or gets, and its worth: a network fee that is taken out on the way counts for nothing. */
function pricedSide(offer: Quote, side: Side): { readonly amount: bigint; readonly micros: bigint } {
  const { pays, gets } = amountsOfQuote(offer)
  const [amount, whole] = side === 'from' ? [pays, offer.source] : [gets.amount, offer.destination]
  return { amount, micros: shareOfUsd(whole.value, amount, BigInt(whole.amount)) }
}
