/** An address field that checks the address for its chain as the user types. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { swap } from '../../texts.ts'

type Verdict = { readonly address: string | null; readonly problem: string | null } | null

export function AddressField({
  label,
  value,
  verdict,
}: {
  readonly label: string
  readonly value: Signal<string>
  readonly verdict: Verdict
}) {
  const id = useId()
  const problem = verdict?.problem ?? null
  const isGood = verdict?.address != null
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input mono"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        aria-invalid={problem !== null}
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      />
      <span id={`${id}-hint`} class={`hint ${problem !== null ? 'wrong' : isGood ? 'good' : ''}`} aria-live="polite">
        {problem ?? (isGood ? swap.addressGood : swap.addressHint)}
      </span>
    </div>
  )
}
