/** Remembers the newest results of a pure function of a text. The function never returns undefined. */
export function memoize<R extends object | string>(maxEntries: number, compute: (text: string) => R): (text: string) => R {
  const known = new Map<string, R>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    // A map keeps the order of insertion.
    const [oldest] = known.keys()
    if (known.size >= maxEntries && oldest !== undefined) known.delete(oldest)
    known.set(text, computed)
    return computed
  }
}
