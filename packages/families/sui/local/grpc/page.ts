// Pages a sorted list. A token is the key of the first item of the next page.
type PageRequest = { readonly pageSize?: number | undefined; readonly pageToken?: Uint8Array | undefined }

const DEFAULT_SIZE = 50
const MAX_SIZE = 1_000

export function page<T>(
  sorted: readonly T[],
  keyOf: (item: T) => string,
  { pageSize = DEFAULT_SIZE, pageToken }: PageRequest,
): { readonly items: readonly T[]; readonly nextPageToken: Uint8Array | null } {
  const from = pageToken === undefined ? '' : new TextDecoder().decode(pageToken)
  const rest = sorted.filter((item) => keyOf(item) >= from)
  const size = Math.min(Math.max(pageSize, 1), MAX_SIZE)
  const next = rest[size]
  return { items: rest.slice(0, size), nextPageToken: next === undefined ? null : new TextEncoder().encode(keyOf(next)) }
}
