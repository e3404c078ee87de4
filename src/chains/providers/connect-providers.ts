/** The providers of a chain from the URLs of its configuration. */
import { type Provider, providerNames } from './provider.ts'

/** Throws for what no quorum can be made of. Asks nobody anything yet. */
export function connectProviders<N>(chainId: string, urls: readonly string[], connect: (url: string) => N): readonly Provider<N>[] {
  if (new Set(urls).size < urls.length) throw new Error(`chain ${chainId} has one provider twice: a quorum would count it twice`)
  if (!urls.every((url) => URL.canParse(url))) throw new Error(`chain ${chainId} has an endpoint that is no URL`)
  const names = providerNames(urls)
  return urls.map((url, i) => ({ name: names[i] ?? '', node: connect(url) }))
}

export function assertQuorum(chainId: string, providers: readonly unknown[], quorum: number): void {
  if (quorum < 1 || quorum > providers.length)
    throw new Error(`chain ${chainId} has ${providers.length} providers, of which ${quorum} can never agree`)
}
