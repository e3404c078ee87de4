/** Finds an order, and lists what was found. */
import { useSignal } from '@preact/signals'
import type { SearchRecord } from '@tandem/protocol/wire/operator.ts'
import { Details } from '../../shared/problem.tsx'
import { operator } from '../../texts.ts'
import { useReading } from './api.ts'
import { Orders } from './orders.tsx'
import { Waiting } from './parts.tsx'

const AGAIN_MS = 5_000

export function Search({ given = '' }: { readonly given?: string }) {
  const text = useSignal(given)
  function go(event: Event): void {
    event.preventDefault()
    if (text.value.trim() !== '') location.hash = `#/search/${encodeURIComponent(text.value.trim())}`
  }
  return (
    <form class="search" onSubmit={go}>
      <label class="label" for="search">
        {operator.search.label}
      </label>
      <div class="row">
        <input
          id="search"
          class="input mono"
          type="search"
          maxLength={200}
          autoComplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="submit" class="button">
          {operator.search.go}
        </button>
      </div>
    </form>
  )
}

export function Found({ text }: { readonly text: string }) {
  const { data, refused } = useReading<SearchRecord>(`search?q=${encodeURIComponent(text)}`, AGAIN_MS).value
  return (
    <div class="stack">
      <Search given={text} />
      <div aria-live="polite">
        {refused !== null && <p class="wrong">{operator.search.unlike}</p>}
        <Details text={refused?.details ?? null} />
        {data === null && refused === null && <Waiting />}
        {data !== null && data.total > 0 && <p class="soft">{operator.found(data.orders.length, data.total)}</p>}
      </div>
      {data !== null && <Orders orders={data.orders} none={operator.search.none} />}
    </div>
  )
}
