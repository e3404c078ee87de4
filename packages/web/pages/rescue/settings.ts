/** The settings of the page, from the service or from inside of the saved copy. */
import type { PinnedRegistry } from '@tandem/sdk'
import { pinRegistry } from './registry.ts'

export type RescueSettings = {
  /** True in a saved copy: the service may be gone, and any node may be asked. */
  readonly isCopy: boolean
  readonly baseUrl: string
  readonly appId: string
  readonly nodes: Readonly<Record<string, string>>
  readonly deployments: Readonly<Record<string, { readonly token?: string; readonly htlc?: string; readonly firstBlock?: string }>>
  /** What the operator added to the registry; null if nothing was. */
  readonly registry: PinnedRegistry | null
  /** The public keys of solvers by chain, which are needed to find deposits. */
  readonly solverKeys: Readonly<Record<string, readonly string[]>>
}

/** The id of the element that holds them in a saved copy. */
export const KEPT = 'kept-settings'

type WebJson = {
  readonly app_id: string | null
  readonly nodes: RescueSettings['nodes']
  readonly deployments: RescueSettings['deployments']
  readonly registry: RescueSettings['registry']
  readonly solver_keys: RescueSettings['solverKeys']
}

export async function readSettings(): Promise<RescueSettings> {
  const settings = await read()
  pinRegistry(settings.registry)
  return settings
}

async function read(): Promise<RescueSettings> {
  const kept = document.getElementById(KEPT)?.textContent
  if (kept != null) return { ...(JSON.parse(kept) as RescueSettings), isCopy: true }
  const { result } = (await (await fetch('/web.json')).json()) as { readonly result: WebJson }
  const { app_id: appId, nodes, deployments, registry, solver_keys: solverKeys } = result
  return { isCopy: false, baseUrl: `${location.origin}/v2`, appId: appId ?? '', nodes, deployments, registry, solverKeys }
}
