/** Small parts of the operator page. */
import type { ComponentChildren } from 'preact'
import { now } from '../../shared/clock.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { ExplorerLink } from '../../shared/explorer-link.tsx'
import { operator } from '../../texts.ts'
import { formatSince, formatTime, shortId } from './format.ts'

export function Section({
  id,
  title,
  wide = false,
  children,
}: {
  readonly id: string
  readonly title: string
  readonly wide?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <section class={wide ? 'part wide' : 'part'} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** On a phone a row is a paragraph, and `Cell` names its column. Scrolls if it is still wider than the screen. */
export function Table({
  label,
  columns,
  children,
}: {
  readonly label: string
  readonly columns: readonly { readonly text: string; readonly isNumber?: boolean }[]
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y: a group that scrolls must be reachable by keyboard, and it is no fieldset
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ text, isNumber }) => (
              <th key={text} scope="col" class={isNumber === true ? 'number' : undefined}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

export function OrderLink({ id }: { readonly id: string }) {
  return (
    <a class="mono" href={`#/orders/${id}`} title={id}>
      {shortId(id)}
    </a>
  )
}

export function Since({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {formatSince(at, now.value)}
    </time>
  )
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time class="mono" dateTime={at} title={at}>
      {formatTime(at)}
    </time>
  )
}

export function Waiting() {
  return <p class="soft">{operator.waiting}</p>
}

/** The colour only repeats what the word says. */
export function State({ kind, children }: { readonly kind: 'good' | 'bad' | 'plain'; readonly children: ComponentChildren }) {
  return <span class={`state ${kind}`}>{children}</span>
}

/** `name` is the name of its column, shown where the screen is too narrow for columns. */
export function Cell({
  name,
  kind = 'short',
  children,
}: {
  readonly name?: string
  readonly kind?: 'short' | 'number' | 'text'
  readonly children: ComponentChildren
}) {
  return (
    <td class={kind === 'short' ? undefined : kind} data-name={name}>
      {children}
    </td>
  )
}

/** A transaction in full, with buttons to copy it and to open it in the explorer. */
export function Tx({ hash, explorer }: { readonly hash: string; readonly explorer: string }) {
  return (
    <span class="tx">
      <span class="mono small soft">{hash}</span>
      <CopyButton text={hash} name={operator.order.transaction} />
      <ExplorerLink pattern={explorer} tx={hash} />
    </span>
  )
}
