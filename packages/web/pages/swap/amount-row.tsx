/** One side of the swap: its asset and its amount. The amount that the user typed is fixed; the other comes from the quote. */
import { batch, useSignal } from '@preact/signals'
import { amountsOfQuote, type Quote } from '@tandem/sdk'
import { formatAmount, formatMicros, plainAmount, shareOfUsd } from '../../shared/amount.ts'
import { DownIcon } from '../../shared/icons.tsx'
import { errors, swap } from '../../texts.ts'
import { AssetIcon, AssetPicker } from './asset-picker.tsx'
import { held, shortage } from './balance.ts'
import type { Asset } from './catalog.ts'
import { amount, amountText, fixedSide, from, limit, quote, type Side, to } from './form.ts'

/** Longer amounts are shown smaller. */
const MIN_CHARS = 4

export function AmountRow({ side }: { readonly side: Side }) {
  const isPicking = useSignal(false)
  const asset = side === 'from' ? from.value : to.value
  const title = side === 'from' ? swap.pay : swap.get
  if (asset === null) return <div class="side" aria-busy="true" />
  const isFixed = fixedSide.value === side
  const priced = quote.value === null ? null : pricedSide(quote.value, side)
  const text = isFixed ? amountText.value : priced === null ? '' : plainAmount(priced.amount, asset.decimals)
  const isOff = isFixed && limit.value !== null
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
        <div class="amount-place" style={{ '--chars': Math.max(text.length, MIN_CHARS) }}>
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
      </div>
      <div class="under small">
        {side === 'from' && <Held asset={asset} />}
        <span class={isOff ? 'worth wrong' : 'worth soft'}>{isOff ? range : priced === null ? '\u00a0' : formatMicros(priced.micros)}</span>
      </div>
      {side === 'from' && <Shortage asset={asset} />}
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

/** The balance of the payer, and a button that takes all of it. It is shown only if the balance is known. */
function Held({ asset }: { readonly asset: Asset }) {
  if (held.value === null) return null
  const { balance, spendable } = held.value
  const max = spendable < asset.max ? spendable : asset.max
  return (
    <span class="held">
      <span class="soft">{swap.balance(`${formatAmount(balance, asset.decimals)} ${asset.symbol}`)}</span>{' '}
      {max > 0n && (
        <button
          type="button"
          class="button plain"
          aria-label={swap.maxOf(asset.symbol)}
          onClick={() => {
            batch(() => {
              fixedSide.value = 'from'
              amountText.value = plainAmount(max, asset.decimals)
            })
          }}
        >
          {swap.max}
        </button>
      )}
    </span>
  )
}

function Shortage({ asset }: { readonly asset: Asset }) {
  const amountOf = (units: bigint) => `${formatAmount(units, asset.decimals)} ${asset.symbol}`
  return (
    <p class="small wrong" role="status">
      {shortage.value === null || limit.value !== null
        ? ''
        : errors.funds(asset.symbol, amountOf(shortage.value.balance), amountOf(shortage.value.needed), !asset.isToken)}
    </p>
  )
}

/** The dollar value of what the user pays or gets, without a network fee that is taken out on the way. */
function pricedSide(offer: Quote, side: Side): { readonly amount: bigint; readonly micros: bigint } {
  const { pays, gets } = amountsOfQuote(offer)
  const [amount, whole] = side === 'from' ? [pays, offer.source] : [gets.amount, offer.destination]
  return { amount, micros: shareOfUsd(whole.value, amount, BigInt(whole.amount)) }
}
