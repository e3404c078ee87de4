/**
 * Loads modules one at a time. Node 20 fails when a CommonJS package requires an ES module that another import is still loading:
 * libraries of two families may share one.
 */
let last: Promise<unknown> = Promise.resolve()

/** `load` must not call this function again: it would wait for itself. */
export function loadOneAtATime<T>(load: () => Promise<T>): Promise<T> {
  const loading = last.then(load)
  last = loading.catch(() => undefined)
  return loading
}
