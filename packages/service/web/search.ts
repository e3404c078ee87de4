/** The search in the reference runs in the browser and, for readers without scripts, on the server. */

export type SearchEntry = {
  readonly title: string
  readonly path: string
  readonly text: string
  /** A smaller rank is better: 0 is a page, 1 a part of a page, 2 a field. */
  readonly rank: number
}

const FIELD = 2
const MAX_RESULTS = 20
const MAX_WORDS = 8

/** Every word must be in the entry. Entries with a word at the beginning of their title come first. */
export function search(entries: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const found = entries.flatMap((entry) => {
    const score = scoreOf(entry, words)
    return score === null ? [] : [{ entry, score }]
  })
  const best = found.toSorted((a, b) => a.score - b.score).map(({ entry }) => entry)
  return best.filter((entry, index) => !isField(entry) || firstNamed(best, entry.title) === index).slice(0, MAX_RESULTS)
}

const isField = ({ rank }: SearchEntry): boolean => rank === FIELD

/** The same field is on the pages of many endpoints, of which one result is enough. */
function firstNamed(entries: readonly SearchEntry[], title: string): number {
  return entries.findIndex((entry) => isField(entry) && entry.title === title)
}

/** Returns null if a word is missing. */
function scoreOf({ title, text, rank }: SearchEntry, words: readonly string[]): number | null {
  const [name, rest] = [title.toLowerCase(), text.toLowerCase()]
  let score = rank
  for (const word of words) {
    if (name === word) score -= 6
    else if (name.startsWith(word)) score -= 3
    else if (name.includes(word)) score -= 1
    else if (rest.includes(word)) score += 4
    else return null
  }
  return score
}

export function resultsHtml(found: readonly SearchEntry[], query: string): string {
  if (found.length === 0) return query === '' ? '' : '<p>Nothing was found. Try fewer words, or the name of a field.</p>'
  const results = found.map(
    ({ title, path, text }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(title)}</a><br><small>${escapeHtml(text)}</small></li>`,
  )
  return `<ol class="results">${results.join('')}</ol>`
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}
