/**
 * Loads modules one after the other. Node 20 fails when a CommonJS package requires an ES module that another import is still loading:
 * libraries of two families may share one.
 */
let last: Promise<unknown> = Promise.resolve()

/** `load` must not load another one in turn: that would wait for itself. */
export function loadInTurn<T>(load: () => Promise<T>): Promise<T> {
  const loading = last.then(load)
  last = loading.catch(() => undefined)
  return loading
}
