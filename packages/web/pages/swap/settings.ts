/** The settings of the pages, requested from the service until it answers. */
import { signal } from '@preact/signals'
import type { PinnedRegistry } from '@tandem/sdk'

export type Play = {
  readonly faucet_url: string
  readonly solver_switch_url: string
  readonly time_url: string
  readonly addresses: Readonly<Record<string, string>>
}

export type Settings = {
  readonly app_id: string | null
  readonly nodes: Readonly<Record<string, string>>
  readonly deployments: Readonly<Record<string, { readonly token?: string; readonly htlc?: string; readonly firstBlock?: string }>>
  readonly registry: PinnedRegistry | null
  readonly play: Play | null
}

const RETRY_MS = 2_000

/** It is null until the service has answered. */
export const settings = signal<Settings | null>(null)

/** What the operator added to the registry, once the service has answered. */
export function pinnedRegistry(): PinnedRegistry | undefined {
  return settings.value?.registry ?? undefined
}

export async function loadSettings(): Promise<Settings> {
  for (;;) {
    try {
      const response = await fetch('/web.json')
      const { result } = (await response.json()) as { readonly result: Settings | null }
      if (result !== null) {
        settings.value = result
        return result
      }
    } catch {
      // The service is starting or unreachable.
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}
