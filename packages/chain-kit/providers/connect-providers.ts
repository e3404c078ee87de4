/** The providers of a chain from the nodes of its configuration. */
import { type Endpoint, urlOf } from '../port/endpoints.ts'
import { providerNames } from '../port/provider-tally.ts'
import type { Provider } from './provider.ts'

/** Throws if the URLs are invalid or repeated. Sends no request. */
export function connectProviders<N>(
  chainId: string,
  endpoints: readonly Endpoint[],
  connect: (endpoint: Endpoint) => N,
): readonly Provider<N>[] {
  const urls = endpoints.map(urlOf)
  if (new Set(urls).size < urls.length) throw new Error(`chain ${chainId} has one provider twice: a quorum would count it twice`)
  if (!urls.every((url) => URL.canParse(url))) throw new Error(`chain ${chainId} has an endpoint that is not a URL`)
  const names = providerNames(urls)
  return endpoints.map((endpoint, i) => ({ name: names[i] ?? '', node: connect(endpoint) }))
}

/** Throws if the quorum is larger than the number of providers, or if one host would have several votes: its operator could lie in all of them. */
export function assertQuorum(chainId: string, endpoints: readonly Endpoint[], quorum: number): void {
  if (quorum < 1 || quorum > endpoints.length)
    throw new Error(`chain ${chainId} has ${endpoints.length} providers: a quorum of ${quorum} is impossible`)
  const hosts = endpoints.map((endpoint) => new URL(urlOf(endpoint)).host)
  const shared = hosts.find((host, i) => hosts.indexOf(host) !== i)
  if (quorum > 1 && shared !== undefined)
    throw new Error(`chain ${chainId} has several providers at ${shared}: a quorum of ${quorum} would count that host more than once`)
}
