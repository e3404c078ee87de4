/** Runs work of one name one after the other, in the order in which it was given. */
export function createTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>()
  return async (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work)
    const ended = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(name, ended)
    try {
      return await mine
    } finally {
      if (last.get(name) === ended) last.delete(name)
    }
  }
}
