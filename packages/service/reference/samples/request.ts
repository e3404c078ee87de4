/** The request that a sample shows. */
import type { PlacedOperation } from '../../api/document.ts'
import type { ApiExample } from '../../api/examples.ts'

export type SampleRequest = {
  readonly placed: PlacedOperation
  /** Of the app id; null where none is needed. */
  readonly appIdHeader: string | null
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Undefined where there is none. */
  readonly body?: unknown
}

/** The server replaces these when it sends a page: they are those of the service that the reader has before them. */
export const ORIGIN = '{{origin}}'
export const APP_ID = '{{app_id}}'

export function sampleRequest(
  placed: PlacedOperation,
  appIdHeader: string | null,
  { request }: Pick<ApiExample, 'request'>,
): SampleRequest {
  const { path = {}, query = {}, body } = request
  const isNeeded = (placed.operation.security ?? []).length > 0
  return { placed, appIdHeader: isNeeded ? appIdHeader : null, path, query, ...(body !== undefined && { body }) }
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
