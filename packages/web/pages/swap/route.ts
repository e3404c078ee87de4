/** The order that the page shows, from `?order=…`. */
import { signal } from '@preact/signals'

function read(): string | null {
  const id = new URLSearchParams(location.search).get('order')
  return id !== null && /^[0-9a-f]{64}$/.test(id) ? id : null
}

export const shownOrder = signal(read())

addEventListener('popstate', () => {
  shownOrder.value = read()
})

export function showOrder(id: string | null): void {
  history.pushState(null, '', id === null ? '/' : `/?order=${id}`)
  shownOrder.value = id
  scrollTo({ top: 0 })
}
