/** Connects a party to the chains of its configuration. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { connectChain, familyNamed } from '@tandem/families/index.ts'
import type { Curve } from '@tandem/keys/key.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type OperatorTiers, raiseTiers } from '@tandem/protocol/registry/confirmation-tiers.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import { applyLimits, type Limits } from '@tandem/protocol/registry/limits.ts'
import { tokensListedTwice } from '@tandem/protocol/registry/problems.ts'
import { createRegistry, type Registry, type RegistryData } from '@tandem/protocol/registry/registry.ts'
import { canonicalContracts } from './canonical-contracts.ts'
import { createVerifiedClient } from './verified-client.ts'

export type Network = {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  close(): Promise<void>
}

export type ChainSettings = {
  readonly endpoints: ConnectOptions['endpoints']
  readonly quorum?: number
  /** The setting overrides the tolerance of the registry. */
  readonly depositToleranceBips?: number
  /** The hash of block 1, where the registry cannot tell the network's nodes apart. */
  readonly firstBlockHash?: string
}

export type NetworkSettings = {
  /** All chains and assets, those that the operator added among them. */
  readonly rows: Environment
  readonly chains: Readonly<Record<ChainId, ChainSettings>>
  readonly deployments: RegistryData['deployments']
  readonly limits?: Limits
  readonly confirmations?: OperatorTiers
}

/** Loads the families of the configured chains, without a request to a node. See `ConnectOptions` for `onTrouble` and `relay`. */
export async function createNetwork(
  settings: NetworkSettings,
  onTrouble: (what: string) => void = () => undefined,
  relay: PublicKeyring | null = null,
): Promise<Network> {
  const { chains, assets } = settings.rows
  const listed = raiseTiers(chains, applyLimits(assets, settings.limits ?? {}), settings.confirmations ?? {})
  const registry = createRegistry({
    chains: chains.map((chain) => withSettings(chain, settings.chains[chain.id])),
    ...canonicalContracts(chains, { assets: listed, deployments: settings.deployments }),
    served: new Set(Object.keys(settings.chains)),
  })
  assertTokensOnce(registry)
  const clients = new Map<ChainId, ChainClient>()
  for (const chain of registry.chains.filter(({ id }) => registry.isServed(id))) {
    const active = registry
      .assetsOf(chain.id)
      .flatMap((asset) => (asset.deployment === null ? [] : [{ ...asset, deployment: asset.deployment }]))
    const { endpoints = {}, quorum = 1 } = settings.chains[chain.id] ?? {}
    const options = {
      assets: active,
      endpoints,
      quorum,
      onTrouble,
      ...(relay !== null && { relay: (curve: Curve) => relay.of({ chain, curve }) }),
    }
    clients.set(chain.id, await connectChain(chain, options))
  }
  let closing: Promise<unknown> | null = null
  return {
    registry,
    clients,
    async close() {
      closing ??= Promise.all([...clients.values()].map((client) => client.close()))
      await closing
    },
  }
}

/** The published deployments name tokens too, so this is known only here. */
function assertTokensOnce({ assets }: Registry): void {
  const [twice] = tokensListedTwice(assets.map((asset) => ({ ...asset, tokenAddress: asset.deployment?.token ?? asset.tokenAddress })))
  if (twice !== undefined)
    throw new Error(`${twice.asset.id} and ${twice.other.id} are both the token ${twice.asset.tokenAddress}: list it once`)
}

function withSettings(chain: Chain, { depositToleranceBips, firstBlockHash }: Partial<ChainSettings> = {}): Chain {
  return withTolerance(withFirstBlock(chain, firstBlockHash), depositToleranceBips)
}

/** Throws where block 0 is enough, and for a text that is no hash. */
export function withFirstBlock(chain: Chain, hash: string | undefined): Chain {
  if (hash === undefined) return chain
  const { firstBlock } = familyNamed(chain.family)
  if (firstBlock === undefined) throw new Error(`a node of ${chain.id} is verified without it: remove the setting`)
  return firstBlock.named(chain, hash)
}

function withTolerance(chain: Chain, depositToleranceBips: number | undefined): Chain {
  if (depositToleranceBips === undefined) return chain
  if (chain.deposits.kind === 'exact')
    throw new Error(`${chain.id} is funded once, with the exact amount: deposit_tolerance_bips has no meaning for it`)
  return { ...chain, deposits: { ...chain.deposits, toleranceBips: depositToleranceBips } }
}

/** Throws when a node serves another chain. The client of an unreachable node waits, so the other chains are not blocked. */
export async function connectNetwork(
  settings: NetworkSettings,
  onUnreachable: (chain: ChainId, error: ChainFailure) => void,
  onTrouble?: (what: string) => void,
  relay: PublicKeyring | null = null,
): Promise<Network> {
  const network = await createNetwork(settings, onTrouble, relay)
  const clients = new Map([...network.clients].map(([chain, client]) => [chain, createVerifiedClient(client)]))
  try {
    await Promise.all(
      [...clients].map(async ([chain, client]) => {
        try {
          await client.verifyNode()
        } catch (error) {
          if (!(error instanceof ChainFailure) || error.kind !== 'unreachable') throw error
          onUnreachable(chain, error)
        }
      }),
    )
  } catch (error) {
    await network.close()
    throw error
  }
  return { ...network, clients }
}
