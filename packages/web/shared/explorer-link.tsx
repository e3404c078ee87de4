/** A link to a transaction in the explorer of its chain; nothing if there is no explorer. */
import { transactionLink } from '@tandem/sdk'
import { shared } from '../texts.ts'
import { OutIcon } from './icons.tsx'

/** `pattern` is a URL with `{tx}` in the place of the hash, or empty. */
export function ExplorerLink({ pattern, tx }: { readonly pattern: string; readonly tx: string }) {
  const href = transactionLink(pattern, tx)
  if (href === null) return null
  return (
    <a class="button plain" href={href} target="_blank" rel="noreferrer" aria-label={shared.explorer}>
      <OutIcon />
    </a>
  )
}
