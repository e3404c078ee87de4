/** One piece of work at a time: in this process, and among the pages of a browser where it has the Web Locks API. */
type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> }

let last: Promise<unknown> = Promise.resolve()

export function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = webLocks()
  const result = last.then(() => (locks === undefined ? work() : locks.request(name, work)))
  // The caller gets the failure; whoever comes next only waits for the end.
  last = result.catch(() => undefined)
  return result
}

export function webLocks(): Locks | undefined {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } }
  return navigator?.locks
}
