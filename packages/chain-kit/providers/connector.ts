/** Connects a family to the nodes of a chain by its configuration: a single node, or one node over several providers. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ProviderReport } from '../port/abilities/reading.ts'
import { type Endpoint, urlOf } from '../port/endpoints.ts'
import type { ConnectOptions } from '../port/family.ts'
import { providerNames } from '../port/provider-tally.ts'
import { allowedLagOf } from './agreed-blocks.ts'
import { inspectProviders, type Probes } from './inspect.ts'
import type { Provider } from './pool.ts'
import type { SharedNodeOptions } from './quorum-node.ts'

type NodeKind<N> = {
  readonly kind: 'rpc' | 'ws'
  readonly connect: (endpoint: Endpoint, timeoutMs: number) => N
  readonly share: (chain: Chain, providers: readonly Provider<N>[], options: SharedNodeOptions) => N
  readonly problemOf: (chain: Chain, node: N) => Promise<string | null>
  readonly probes: (chain: Chain) => Omit<Probes<N>, 'problemOf' | 'allowedLag'>
}

const REQUEST_TIMEOUT_MS = 10_000

export function createConnector<N extends { close(): void }>({ kind, connect, share, problemOf, probes }: NodeKind<N>) {
  const endpointsOf = (chain: Chain, { endpoints }: Pick<ConnectOptions, 'endpoints'>) => {
    const nodes = endpoints[kind] ?? []
    if (nodes.length === 0) throw new Error(`chain ${chain.id} needs an endpoint of kind "${kind}"`)
    return nodes
  }
  const providersOf = (chain: Chain, nodes: readonly Endpoint[]) =>
    connectProviders(chain.id, nodes, (endpoint) => connect(endpoint, REQUEST_TIMEOUT_MS))

  return {
    connectNode(chain: Chain, options: Pick<ConnectOptions, 'endpoints' | 'quorum' | 'onTrouble'>): N {
      const { quorum = 1, onTrouble = () => undefined } = options
      const nodes = endpointsOf(chain, options)
      const providers = providersOf(chain, nodes)
      assertQuorum(chain.id, nodes, quorum)
      const [only, ...others] = providers
      return only !== undefined && others.length === 0 ? only.node : share(chain, providers, { quorum, onTrouble })
    },
    async inspectNodes(chain: Chain, options: Pick<ConnectOptions, 'endpoints'>): Promise<readonly ProviderReport[]> {
      const providers = providersOf(chain, endpointsOf(chain, options))
      try {
        return await inspectProviders(chain, providers, {
          ...probes(chain),
          problemOf: (node) => problemOf(chain, node),
          allowedLag: allowedLagOf(chain),
        })
      } finally {
        for (const { node } of providers) node.close()
      }
    },
  }
}

/** Throws if the URLs are invalid or repeated. No request is sent. */
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
