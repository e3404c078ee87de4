/** A problem in words, and what is behind it for who wants to know. */
import { shared } from '../texts.ts'
import type { Told } from './explain.ts'

/** `lead`: said before. `quiet`: nothing is wrong, something is waited for. */
export function Problem({ told, lead = '', quiet = false }: { readonly told: Told; readonly lead?: string; readonly quiet?: boolean }) {
  return (
    <div class={quiet ? 'notice' : 'notice alarm'} role={quiet ? 'status' : 'alert'}>
      <p>{lead === '' ? told.text : `${lead} ${told.text}`}</p>
      <Details text={told.details} />
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
