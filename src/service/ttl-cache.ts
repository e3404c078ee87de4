/** Remembers answers for a moment, so that many who ask the same at once cost as much as one. */

export interface ShortMemory<T> {
  /** Loads at most once at a time for each key. A failure is not remembered. */
  get(key: string, load: () => Promise<T>): Promise<T>
  /** Without waiting: undefined when it would have to be loaded. */
  peek(key: string): T | undefined
}

/** `maxEntries` bounds what strangers can make us remember: the oldest is forgotten first. */
export function createShortMemory<T>({ keepMs, maxEntries }: { readonly keepMs: number; readonly maxEntries: number }): ShortMemory<T> {
  const loading = new Map<string, Promise<T>>()
  const kept = new Map<string, { readonly value: T; readonly timer: NodeJS.Timeout }>()

  function forget(key: string): void {
    clearTimeout(kept.get(key)?.timer)
    kept.delete(key)
  }

  /** A timer for each answer: looking one up needs no clock. */
  function keep(key: string, value: T): void {
    forget(key)
    kept.set(key, { value, timer: setTimeout(() => forget(key), keepMs).unref() })
    const oldest = kept.keys().next().value
    if (kept.size > maxEntries && oldest !== undefined) forget(oldest)
  }

  async function start(key: string, load: () => Promise<T>): Promise<T> {
    const answer = load()
    loading.set(key, answer)
    try {
      const value = await answer
      if (keepMs > 0) keep(key, value)
      return value
    } finally {
      loading.delete(key)
    }
  }

  return {
    peek: (key) => kept.get(key)?.value,
    async get(key, load) {
      return kept.get(key)?.value ?? loading.get(key) ?? start(key, load)
    },
  }
}
