/** The providers of a chain from the URLs of its configuration. */
import { providerNames } from '../port/provider-tally.ts'
import type { Provider } from './provider.ts'

/** Throws if the URLs are invalid or repeated. Sends no request. */
export function connectProviders<N>(chainId: string, urls: readonly string[], connect: (url: string) => N): readonly Provider<N>[] {
  if (new Set(urls).size < urls.length) throw new Error(`chain ${chainId} has one provider twice: a quorum would count it twice`)
  if (!urls.every((url) => URL.canParse(url))) throw new Error(`chain ${chainId} has an endpoint that is not a URL`)
  const names = providerNames(urls)
  return urls.map((url, i) => ({ name: names[i] ?? '', node: connect(url) }))
}

/** Throws if the quorum is larger than the number of providers, or if one host would have several votes: its operator could lie in all of them. */
export function assertQuorum(chainId: string, urls: readonly string[], quorum: number): void {
  if (quorum < 1 || quorum > urls.length)
    throw new Error(`chain ${chainId} has ${urls.length} providers: a quorum of ${quorum} is impossible`)
  const hosts = urls.map((url) => new URL(url).host)
  const shared = hosts.find((host, i) => hosts.indexOf(host) !== i)
  if (quorum > 1 && shared !== undefined)
    throw new Error(`chain ${chainId} has several providers at ${shared}: a quorum of ${quorum} would count that host more than once`)
}
