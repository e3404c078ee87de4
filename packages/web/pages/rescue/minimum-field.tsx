/** The minimum that the user agreed to get, typed from their own notes: no chain knows it, and a payment on a chain may be a stranger's. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { parseAmount } from '../../shared/amount.ts'
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

type Props = { readonly typed: Signal<string>; readonly symbol: string; readonly hint: string }

export function MinimumField({ typed, symbol, hint }: Props) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{texts.min(symbol)}</label>
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

/** The minimum in the smallest unit. The error gives no example: the user would copy the amount of the payment itself. */
export function minimumIn(typed: Signal<string>, decimals: number): bigint {
  const amount = parseAmount(typed.value, decimals)
  if (amount === null || amount === 0n) throw new SaidError(texts.minMissing)
  return amount
}
