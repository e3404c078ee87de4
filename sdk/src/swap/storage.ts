/** Where swaps are remembered across page loads. The browser's `localStorage` has this shape. */
export interface SwapStorage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): void | Promise<void>
}

/** The browser's storage where there is one; otherwise the memory of this process, which a reload empties. */
export function defaultStorage(): SwapStorage {
  const { localStorage } = globalThis as { readonly localStorage?: SwapStorage }
  if (localStorage !== undefined) return localStorage
  const items = new Map<string, string>()
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) }
}
