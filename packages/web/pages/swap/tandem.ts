/** The SDK, opened when it is first needed, with the nodes and contracts of `/web.json`, and with keys if something must be signed. */
import { createClient, createTandem, memoryStorage, type Tandem, type TandemOptions } from '@tandem/sdk'
import { openKeys } from './phrase.ts'
import { settings } from './settings.ts'

function options(): TandemOptions {
  const { value } = settings
  if (value === null || value.app_id === null) throw new Error('the service has no app for its pages')
  const { app_id: appId, nodes, deployments, registry } = value
  const baseUrl = new URL('/v2', location.href).href
  return { baseUrl, fetch: (...args) => fetch(...args), appId, nodes, deployments, ...(registry !== null && { registry }) }
}

export function openClient() {
  return createClient(options())
}

let reader: Tandem | null = null

/** This SDK is for quotes and for orders that are only watched. It makes no keys and stores nothing in this browser. */
export function openReader(): Tandem {
  reader ??= createTandem({ ...options(), storage: memoryStorage() })
  return reader
}

let opening: Promise<Tandem> | null = null

/** This SDK has the keys of the rescue phrase, which is made here if this browser has none. */
export function openTandem(): Promise<Tandem> {
  opening ??= openKeys().then((keys) => createTandem({ ...options(), keys }))
  return opening
}
