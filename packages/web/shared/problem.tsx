/** A problem in words, with its details folded. */
import { shared } from '../texts.ts'
import type { Explanation } from './explain.ts'

/** `lead` stands before the text. `quiet` is for what only has to be waited for. */
export function Problem({ of, lead = '', quiet = false }: { readonly of: Explanation; readonly lead?: string; readonly quiet?: boolean }) {
  return (
    <div class={quiet ? 'notice' : 'notice alarm'} role={quiet ? 'status' : 'alert'}>
      <p>{lead === '' ? of.text : `${lead} ${of.text}`}</p>
      <Details text={of.details} />
    </div>
  )
}

export function Details({ text }: { readonly text: string | null }) {
  if (text === null) return null
  return (
    <details class="small more">
      <summary>{shared.details}</summary>
      <code>{text}</code>
    </details>
  )
}
