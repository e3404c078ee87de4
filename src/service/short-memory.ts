/** Remembers answers for a moment, so that many who ask the same at once cost as much as one. */

export interface ShortMemory<T> {
  /** Loads at most once at a time for each key. A failure is not remembered. */
  get(key: string, load: () => Promise<T>): Promise<T>
}

type Entry<T> = { readonly answer: Promise<T>; until: number }

/** `maxEntries` bounds what strangers can make us remember: the oldest is forgotten first. */
export function createShortMemory<T>({ keepMs, maxEntries }: { readonly keepMs: number; readonly maxEntries: number }): ShortMemory<T> {
  const entries = new Map<string, Entry<T>>()

  function forget(key: string, entry: Entry<T>): void {
    if (entries.get(key) === entry) entries.delete(key)
  }

  return {
    get(key, load) {
      const known = entries.get(key)
      if (known !== undefined && performance.now() < known.until) return known.answer
      const answer = load()
      const entry: Entry<T> = { answer, until: Number.POSITIVE_INFINITY }
      entries.delete(key)
      entries.set(key, entry)
      const oldest = entries.keys().next().value
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
      answer.then(
        () => {
          entry.until = performance.now() + keepMs
          if (keepMs === 0) forget(key, entry)
        },
        () => forget(key, entry),
      )
      return answer
    },
  }
}
