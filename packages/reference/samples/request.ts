/** The request that a sample shows. */
import type { PlacedOperation } from '../document/document.ts'
import type { ApiExample } from '../document/examples.ts'
import { ORIGIN } from '../placeholders.ts'

export type SampleRequest = {
  readonly placed: PlacedOperation
  readonly needsAppId: boolean
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body?: unknown
}

export function sampleRequest(placed: PlacedOperation, { request }: Pick<ApiExample, 'request'>): SampleRequest {
  const { path = {}, query = {}, body } = request
  const needsAppId = (placed.operation.security ?? []).length > 0
  return { placed, needsAppId, path, query, ...(body !== undefined && { body }) }
}

export function urlOf({ placed, path, query }: SampleRequest): string {
  const filled = placed.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeQuery(value)}`)
  return `${ORIGIN}${filled}${search.length === 0 ? '' : `?${search.join('&')}`}`
}

/** Colons and commas need no escape in a query (RFC 3986 section 3.4): names of assets stay readable. */
function encodeQuery(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2C', ',')
}

export function isStream({ placed }: SampleRequest): boolean {
  return placed.operation.responses['200']?.content?.['text/event-stream'] !== undefined
}
