/** Search in the reference. The same code answers on the server, for readers without scripts, and in the browser. */

export type SearchEntry = {
  readonly title: string
  readonly path: string
  /** What the reader sees below the title. */
  readonly text: string
  /** Smaller is better: 0 a page, 1 a part of a page, 2 a field. */
  readonly rank: number
}

const FIELD = 2
const MOST_RESULTS = 20
const MOST_WORDS = 8

/** Entries that contain every word, those with a word at the beginning of their title first. */
export function search(entries: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS)
  if (words.length === 0) return []
  const found = entries.flatMap((entry) => {
    const score = scoreOf(entry, words)
    return score === null ? [] : [{ entry, score }]
  })
  const best = found.toSorted((a, b) => a.score - b.score).map(({ entry }) => entry)
  return best.filter((entry, index) => !isField(entry) || firstNamed(best, entry.title) === index).slice(0, MOST_RESULTS)
}

const isField = ({ rank }: SearchEntry): boolean => rank === FIELD

/** The same field is on the pages of many endpoints: one of them is enough. */
function firstNamed(entries: readonly SearchEntry[], title: string): number {
  return entries.findIndex((entry) => isField(entry) && entry.title === title)
}

/** Null: a word is missing. */
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
