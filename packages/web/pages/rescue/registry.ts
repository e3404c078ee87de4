/** What the operator added to the registry, once the settings are read. */
import type { PinnedRegistry } from '@tandem/sdk'

let pinned: PinnedRegistry | undefined

export function pinRegistry(registry: PinnedRegistry | null): void {
  pinned = registry ?? undefined
}

export function pinnedRegistry(): PinnedRegistry | undefined {
  return pinned
}
