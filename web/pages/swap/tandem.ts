/** The SDK, opened when it is first needed: keys of the rescue phrase, nodes and contracts as the service names them to its pages. */
import { createClient, createTandem, type Tandem } from '../../../sdk/src/index.ts'
import { openKeys } from './phrase.ts'
import { type Settings, settings } from './settings.ts'

const base = () => ({ baseUrl: new URL('/v2', location.href).href, fetch: (...args: Parameters<typeof fetch>) => fetch(...args) })

function assertReady(): Settings & { readonly app_id: string } {
  const { value } = settings
  if (value === null || value.app_id === null) throw new Error('the service has no app for its pages')
  return { ...value, app_id: value.app_id }
}

/** Without keys: for the catalog, and for orders that are only watched. */
export function openClient() {
  return createClient({ ...base(), appId: assertReady().app_id })
}

let opening: Promise<Tandem> | null = null

export function openTandem(): Promise<Tandem> {
  opening ??= (async () => {
    const { app_id: appId, nodes, deployments } = assertReady()
    return createTandem({ ...base(), appId, nodes, deployments, keys: await openKeys() })
  })()
  return opening
}
