/** In this TTL cache, concurrent requests for the same key cost one load. */

export interface TtlCache<T> {
  /** Concurrent calls for a key share one load. Failures are not cached. */
  get(key: string, load: () => Promise<T>): Promise<T>
  /** Returns undefined if the key is not cached. It never loads. */
  peek(key: string): T | undefined
}

/** `maxEntries` bounds the memory that strangers can make the process use. The oldest entry is evicted first. */
export function createTtlCache<T>({ keepMs, maxEntries }: { readonly keepMs: number; readonly maxEntries: number }): TtlCache<T> {
  const loading = new Map<string, Promise<T>>()
  const kept = new Map<string, { readonly value: T; readonly timer: NodeJS.Timeout }>()

  function evict(key: string): void {
    clearTimeout(kept.get(key)?.timer)
    kept.delete(key)
  }

  /** Each entry has a timer, so that a lookup needs no clock. */
  function store(key: string, value: T): void {
    evict(key)
    kept.set(key, { value, timer: setTimeout(() => evict(key), keepMs).unref() })
    const oldest = kept.keys().next().value
    if (kept.size > maxEntries && oldest !== undefined) evict(oldest)
  }

  async function start(key: string, load: () => Promise<T>): Promise<T> {
    const answer = load()
    loading.set(key, answer)
    try {
      const value = await answer
      if (keepMs > 0) store(key, value)
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
