/** Connects the nodes of a chain by its configuration: Bitcoin Core (`rpc`), Esplora servers (`esplora`), and one backend over them. */
import type { NewBlocks, ProviderReport } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { assertQuorum, connectProviders } from '@tandem/chain-kit/providers/connector.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import { checkProviders } from '@tandem/chain-kit/providers/open-quorum.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { networkProblem } from '../../terms/nodes/verify-network.ts'
import type { BitcoinBackend, BitcoinNode } from './backend.ts'
import { createCoreBackend } from './core-rpc.ts'
import { createEsploraBackend } from './esplora.ts'
import { newBlocksOf } from './new-blocks.ts'
import { ALLOWED_LAG, type BitcoinProvider, createQuorumBackend } from './quorum-backend.ts'

export interface BitcoinNodes {
  readonly network: BitcoinNetwork
  readonly backend: BitcoinBackend
  verify(): Promise<void>
  inspect(): Promise<readonly ProviderReport[]>
  readonly newBlocks: NewBlocks | undefined
  close(): Promise<void>
}

/** The nodes get no request yet. */
export function connectNodes(chain: Chain, network: BitcoinNetwork, options: ConnectOptions): BitcoinNodes {
  const { endpoints, quorum = 1, onTrouble = () => undefined } = options
  const { rpc = [], esplora = [] } = endpoints
  const connect = (endpoint: Endpoint) =>
    rpc.includes(endpoint) ? createCoreBackend(endpoint, network) : createEsploraBackend(endpoint, network)
  const nodes = [...rpc, ...esplora]
  const providers = connectProviders(chain.id, nodes, connect).map(
    (provider, i): BitcoinProvider => ({ ...provider, kind: i < rpc.length ? 'rpc' : 'esplora' }),
  )
  if (providers.length === 0) throw new Error(`${chain.id} needs an endpoint "rpc" (Bitcoin Core) or "esplora"`)
  assertQuorum(chain.id, nodes, quorum)
  const isOnePerKind = quorum === 1 && rpc.length <= 1 && esplora.length <= 1
  const backend = isOnePerKind ? backendOfKinds(providers) : createQuorumBackend(chain, network, providers, { quorum, onTrouble })
  const needed = isOnePerKind ? providers.length : quorum
  return {
    network,
    backend,
    verify: () => checkProviders(chain.id, providers, needed, (node) => networkProblem(network, node)),
    inspect: () => inspectNodes(chain, network, providers),
    newBlocks: newBlocksOf(rpc),
    async close() {
      await Promise.all(providers.map(({ node }) => node.close()))
    },
  }
}

/** One node of each kind is trusted without a quorum: blocks come from Core, the coins of an address from Esplora's index. */
function backendOfKinds([first, index]: readonly BitcoinProvider[]): BitcoinBackend {
  if (first === undefined) throw new Error('there is no node')
  return index === undefined ? first.node : { ...first.node, coinsOf: coinsOfEither(index.node, first.node) }
}

/** Some Esplora servers refuse addresses with many coins. Core lists any number of coins after a slow first scan. */
function coinsOfEither(index: BitcoinBackend, core: BitcoinBackend): BitcoinBackend['coinsOf'] {
  return async (address) => {
    try {
      return await index.coinsOf(address)
    } catch (error) {
      if (error instanceof ChainFailure && error.kind === 'would-fail') return core.coinsOf(address)
      throw error
    }
  }
}

function inspectNodes(
  chain: Pick<Chain, 'blockMs'>,
  network: BitcoinNetwork,
  providers: readonly BitcoinProvider[],
): Promise<readonly ProviderReport[]> {
  return inspectProviders<BitcoinNode>(chain, providers, {
    problemOf: (node) => networkProblem(network, node),
    height: async (node) => (await node.tip()).height,
    hasEventsAt: hasBlock,
    tags: async () => [],
    allowedLag: ALLOWED_LAG,
  })
}

/** A pruned node still has the header, so the raw block is read. */
async function hasBlock(node: BitcoinNode, height: bigint): Promise<boolean> {
  const block = await node.blockAt(height)
  return block !== null && (await node.rawBlock(block.hash)) !== null
}
