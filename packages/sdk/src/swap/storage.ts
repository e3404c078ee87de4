/** Keeps swaps and the user's keys across page loads and crashes. The browser's `localStorage` has this shape. */
export interface SwapStorage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): void | Promise<void>
}

/**
 * Returns the storage of a page. Outside of pages it returns one that refuses: a key that only a process holds is lost with the process,
 * and so is the money that only this key can refund.
 */
export function defaultStorage(): SwapStorage {
  return pageStorage() ?? { getItem: refuse, setItem: refuse }
}

/**
 * Only pages and Deno have one: what Node calls `localStorage` warns when it is read, throws or keeps nothing, unless a file was named on the command line.
 * A browser throws where the user forbids storage.
 */
function pageStorage(): SwapStorage | null {
  if (!('document' in globalThis || 'Deno' in globalThis)) return null
  try {
    return (globalThis as { readonly localStorage?: SwapStorage }).localStorage ?? null
  } catch {
    return null
  }
}

function refuse(): never {
  throw new StorageError(
    'there is no localStorage here, so the keys of a swap would be lost with this process: createTandem({ storage }). In Node: fileStorage(path) of @tandem/sdk/node; to throw it away: memoryStorage()',
  )
}

/** No storage keeps the keys of a swap. Nothing was paid. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
}

/**
 * This storage forgets everything when the process ends. It is for tests, and for swaps whose keys derive from a rescue phrase that is kept
 * elsewhere.
 */
export function memoryStorage(): SwapStorage {
  const items = new Map<string, string>()
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) }
}
