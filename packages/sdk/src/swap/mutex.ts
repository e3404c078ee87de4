/** A mutex for this process, and for all pages of a browser where it has the Web Locks API. */
type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> }

let last: Promise<unknown> = Promise.resolve()

export function withMutex<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = webLocks()
  const result = last.then(() => (locks === undefined ? work() : locks.request(name, work)))
  // The caller gets the failure; the next one only waits for the end.
  last = result.catch(() => undefined)
  return result
}

export function webLocks(): Locks | undefined {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } }
  return navigator?.locks
}
