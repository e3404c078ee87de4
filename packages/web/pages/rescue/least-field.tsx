/** The least that the user agreed to get, typed from their own notes: nothing on a chain tells it, and what is shown there may be of a stranger. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { parseAmount } from '../../shared/amount.ts'
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

type Props = { readonly typed: Signal<string>; readonly symbol: string; readonly hint: string }

export function LeastField({ typed, symbol, hint }: Props) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{texts.least(symbol)}</label>
      <input
        id={id}
        class="input mono"
        inputMode="decimal"
        autocomplete="off"
        aria-describedby={`${id}-hint`}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
        }}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

/** In the smallest unit. Throws in words for the user, without an example: the amount of the payment itself would only be copied. */
export function leastIn(typed: Signal<string>, decimals: number): bigint {
  const amount = parseAmount(typed.value, decimals)
  if (amount === null || amount === 0n) throw new SaidError(texts.leastMissing)
  return amount
}
