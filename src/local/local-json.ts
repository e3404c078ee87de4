/** `.tandem/local.json`: all that scripts and integrators need to drive the local stack. */
import type { Registry } from '../protocol/registry/registry.ts'
import type { LocalNetwork } from './local-network.ts'

export type LocalJson = {
  readonly base_url: string
  readonly app_id: string
  readonly chains: Readonly<Record<string, LocalChainJson>>
  readonly faucet_url: string
  /** Local only: POST {"running": false} stops the solver, true starts it again. */
  readonly solver_switch_url: string
  readonly wallets: readonly LocalWallet[]
}

export type LocalChainJson = {
  readonly family: string
  /** What wallets know it by: `evm:31337`, `bitcoin:regtest`. */
  readonly network: string
  readonly chain_id?: number
  readonly rpc_url: string
  readonly esplora_url?: string
  readonly assets: Readonly<Record<string, { readonly token?: string; readonly htlc?: string }>>
}

export type LocalWallet = {
  readonly family: string
  /** Where it has something. */
  readonly chains: readonly string[]
  readonly private_key: string
  readonly address: string
}

export function describeChains(registry: Registry, network: LocalNetwork): Readonly<Record<string, LocalChainJson>> {
  return Object.fromEntries(
    registry.chains.map((chain) => {
      const endpoints = network.endpoints[chain.id]?.endpoints ?? {}
      const chainId = /^(?:evm|tron):([0-9]+)$/.exec(chain.reference)?.[1]
      return [
        chain.id,
        {
          family: chain.family,
          network: chain.reference,
          ...(chainId !== undefined && { chain_id: Number(chainId) }),
          rpc_url: endpoints.rpc ?? '',
          ...(endpoints.esplora !== undefined && { esplora_url: endpoints.esplora }),
          assets: Object.fromEntries(
            registry.assetsOf(chain.id).map((asset) => [
              asset.id,
              {
                ...(asset.deployment?.token != null && { token: asset.deployment.token }),
                ...(asset.deployment?.htlc != null && { htlc: asset.deployment.htlc }),
              },
            ]),
          ),
        },
      ]
    }),
  )
}
