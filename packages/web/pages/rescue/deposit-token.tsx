/** Which money at a deposit address is meant: what the order is paid in, the coin of the chain, or another token that came by mistake. */
import { type Signal, useSignal } from '@preact/signals'
import type { AssetFacts } from '@tandem/sdk'
import { useId } from 'preact/hooks'
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

type Kind = 'own' | 'coin' | 'other'
export type Token = { readonly kind: Signal<Kind>; readonly address: Signal<string> }

export function useToken(): Token {
  return { kind: useSignal<Kind>('own'), address: useSignal('') }
}

/** Undefined stands for the asset of the order, null for the coin. Throws if the user has not said which token. */
export function chosenIn({ kind, address }: Token): string | null | undefined {
  if (kind.value !== 'other') return kind.value === 'coin' ? null : undefined
  const text = address.value.trim()
  if (text === '') throw new SaidError(texts.deposits.tokenMissing)
  return text
}

export function TokenField({ token: { kind, address }, facts }: { readonly token: Token; readonly facts: AssetFacts }) {
  const id = useId()
  return (
    <>
      <div class="field">
        <label for={id}>{texts.deposits.which}</label>
        <select
          id={id}
          class="input"
          value={kind.value}
          onChange={({ currentTarget }) => {
            kind.value = currentTarget.value as Kind
          }}
        >
          <option value="own">{texts.deposits.own(facts.symbol)}</option>
          <option value="coin">{texts.deposits.coin(facts.chainName)}</option>
          <option value="other">{texts.deposits.other}</option>
        </select>
      </div>
      {kind.value === 'other' && (
        <div class="field">
          <label for={`${id}-token`}>{texts.deposits.tokenOn(facts.chainName)}</label>
          <input
            id={`${id}-token`}
            class="input mono"
            spellcheck={false}
            autocomplete="off"
            autocapitalize="none"
            aria-describedby={`${id}-hint`}
            value={address.value}
            onInput={({ currentTarget }) => {
              address.value = currentTarget.value
            }}
          />
          <p class="hint" id={`${id}-hint`}>
            {texts.deposits.tokenHint}
          </p>
        </div>
      )}
    </>
  )
}
