/** Search while typing: a combobox (WAI-ARIA) with the same search as the server. Enter without a choice opens the server's page of results. */
import { type SearchEntry, search } from '@tandem/service/web/search.ts'
import { docs } from '../../texts.ts'

const MAX_RESULTS = 8

export function prepareSearch(): void {
  const input = document.querySelector<HTMLInputElement>('.search input')
  if (input === null) return
  const list = document.createElement('ul')
  list.id = 'search-results'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', docs.results)
  list.hidden = true
  const note = document.createElement('p')
  note.className = 'note'
  note.setAttribute('role', 'status')
  input.after(list, note)
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value)

  let entries: Promise<readonly SearchEntry[]> | null = null
  let active = -1

  /** The index is loaded when the reader starts to search. After a failure the next key tries again. */
  function load(): Promise<readonly SearchEntry[]> {
    entries ??= fetchEntries().catch((error: unknown) => {
      entries = null
      throw error
    })
    return entries
  }

  function close(): void {
    list.hidden = true
    note.textContent = ''
    input?.setAttribute('aria-expanded', 'false')
    activate(-1)
  }

  function activate(index: number): void {
    active = index
    for (const [at, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(at === index))
    const option = list.children[index]
    if (option === undefined) input?.removeAttribute('aria-activedescendant')
    else {
      input?.setAttribute('aria-activedescendant', option.id)
      option.scrollIntoView({ block: 'nearest' })
    }
  }

  async function show(): Promise<void> {
    const all = await load().catch(() => null)
    const query = input?.value ?? ''
    const found = search(all ?? [], query).slice(0, MAX_RESULTS)
    note.textContent = query.trim() === '' || found.length > 0 ? '' : all === null ? docs.searchFailed : docs.noResults
    list.replaceChildren(...found.map(optionOf))
    active = -1
    list.hidden = found.length === 0
    input?.setAttribute('aria-expanded', String(found.length > 0))
  }

  input.addEventListener('focus', () => void load().catch(() => undefined))
  input.addEventListener('input', () => void show())
  input.addEventListener('blur', () => setTimeout(close, 150))
  input.addEventListener('keydown', (event) => {
    const count = list.hidden ? 0 : list.children.length
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown' && count > 0) activate((active + 1) % count)
    else if (event.key === 'ArrowUp' && count > 0) activate((active + count - 1 + (active < 0 ? 1 : 0)) % count)
    else if (event.key === 'Enter' && active >= 0 && count > 0) go(list.children[active])
    else return
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
}

async function fetchEntries(): Promise<readonly SearchEntry[]> {
  const response = await fetch('/docs/search.json')
  if (!response.ok) throw new Error(`the search index was answered with ${response.status}`)
  return (await response.json()) as readonly SearchEntry[]
}

/** An option must not be a link: in a listbox only the input has the focus. */
function optionOf({ title, path, text }: SearchEntry, index: number): HTMLLIElement {
  const item = document.createElement('li')
  item.id = `search-result-${index}`
  item.dataset.path = path
  item.setAttribute('role', 'option')
  item.setAttribute('aria-selected', 'false')
  item.addEventListener('click', () => go(item))
  const name = document.createElement('span')
  name.textContent = title
  const about = document.createElement('small')
  about.textContent = text
  item.append(name, about)
  return item
}

function go(option: Element | undefined): void {
  if (option instanceof HTMLElement && option.dataset.path !== undefined) location.assign(option.dataset.path)
}
