/** A chain has nodes by kind: { rpc: ['https://…', 'https://…'] }. A family says which kinds it needs, and of which it uses several. */
export type Endpoints = Readonly<Record<string, readonly Endpoint[]>>

export type Endpoint = string | EndpointWithHeaders

export type EndpointWithHeaders = {
  readonly url: string
  /** Every request to this node carries these headers, such as an API key. They are secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** This limits requests over HTTP. The default is that of the family, usually no limit. */
  readonly requestsPerSecond?: number
}

export function urlOf(endpoint: Endpoint): string {
  return typeof endpoint === 'string' ? endpoint : endpoint.url
}

export function headersOf(endpoint: Endpoint): EndpointWithHeaders['headers'] {
  return typeof endpoint === 'string' ? {} : endpoint.headers
}

export function withPath(endpoint: Endpoint, path: string): Endpoint {
  const url = urlOf(endpoint).replace(/\/+$/, '') + path
  return typeof endpoint === 'string' ? url : { ...endpoint, url }
}
