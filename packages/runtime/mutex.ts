/** Runs work of one name one at a time, in the order of the calls. Only the caller gets a failure: the next work runs nevertheless. */
export type Mutex = <T>(name: string, work: () => Promise<T>) => Promise<T>

export function createMutex(): Mutex {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const result = (last.get(name) ?? Promise.resolve()).then(work)
    const ended = result.catch(() => undefined)
    last.set(name, ended)
    try {
      return await result
    } finally {
      if (last.get(name) === ended) last.delete(name)
    }
  }
}
