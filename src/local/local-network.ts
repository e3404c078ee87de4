/** The chains of the local network, running in this process, with contracts deployed and a faucet for each. */
import type { Hex } from 'viem'
import type { MiningPolicy as CoinMining } from '../../devnet/bitcoin/mining.ts'
import type { EvmChain } from '../../devnet/evm/evm-chain.ts'
import type { MiningPolicy as EvmMining } from '../../devnet/evm/evm-node.ts'
import type { AssetId, Deployment } from '../protocol/asset.ts'
import type { Chain, ChainId } from '../protocol/chain.ts'
import { TandemError } from '../protocol/error.ts'
import { localAssets, localChains } from '../protocol/registry/local.ts'
import { type LocalCoinChain, startLocalCoinChain } from './local-coin-chain.ts'
import { startLocalEvmChain } from './local-evm-chain.ts'
import { startLocalHypercoreChain } from './local-hypercore-chain.ts'
import type { LocalKeys } from './local-keys.ts'
import { startLocalTronChain } from './local-tron-chain.ts'
import type { RunningChain } from './running-chain.ts'

export type LocalNetwork = {
  /** Chains of coins, on which blocks come by the clock or when told to; by chain id. */
  readonly coinChains: Readonly<Record<CoinChainName, LocalCoinChain>>
  readonly evm: Readonly<Record<EvmChainName, EvmChain>>
  /** For the parties' configuration. */
  readonly endpoints: Readonly<Record<ChainId, { readonly endpoints: Readonly<Record<string, string>> }>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
  /** Resolves to a transaction hash. */
  give(asset: string, address: string, amount: bigint): Promise<string>
  giveGas(chain: ChainId, address: string): Promise<void>
  close(): Promise<void>
}

export type EvmChainName = 'ethereum_localnet' | 'arbitrum_localnet'
export type CoinChainName = 'bitcoin_regtest' | 'litecoin_regtest'

export type LocalMining = { readonly coins: CoinMining; readonly evm: EvmMining }

/** Chains of coins that run already: the network closes them with the others. */
export type GivenCoinChains = Readonly<Partial<Record<CoinChainName, LocalCoinChain>>>

type StartFurther = (chain: Chain, faucetKey: Hex, mining: LocalMining) => Promise<RunningChain>

/** Beside Bitcoin's family and two EVM chains, which always run. */
const furtherChains = { hypercore_localnet: startLocalHypercoreChain, tron_localnet: startLocalTronChain } as const satisfies Readonly<
  Record<ChainId, StartFurther>
>
export type FurtherChainName = keyof typeof furtherChains
const allFurther = Object.keys(furtherChains) as FurtherChainName[]

type Choice = { readonly given?: GivenCoinChains | undefined; readonly further?: readonly FurtherChainName[] | undefined }

export async function startLocalNetwork(
  keys: LocalKeys,
  mining: LocalMining,
  { given = {}, further = allFurther }: Choice = {},
): Promise<LocalNetwork> {
  const coins = (id: CoinChainName) => startLocalCoinChain(chainOf(id), mining.coins, given[id])
  const evm = (id: EvmChainName) => startLocalEvmChain(chainOf(id), keys.faucet, mining.evm)
  const starters: Readonly<Record<ChainId, StartFurther>> = furtherChains
  const [bitcoin, litecoin, ethereum, arbitrum, ...others] = await Promise.all([
    coins('bitcoin_regtest'),
    coins('litecoin_regtest'),
    evm('ethereum_localnet'),
    evm('arbitrum_localnet'),
    ...further.map(async (id: ChainId) => [id, await starterOf(starters, id)(chainOf(id), keys.faucet, mining)] as const),
  ])
  const chains: Readonly<Record<CoinChainName | EvmChainName, RunningChain>> = {
    bitcoin_regtest: bitcoin,
    litecoin_regtest: litecoin,
    ethereum_localnet: ethereum,
    arbitrum_localnet: arbitrum,
  }
  const running = new Map<ChainId, RunningChain>([...Object.entries(chains), ...others])

  return {
    coinChains: { bitcoin_regtest: bitcoin.chain, litecoin_regtest: litecoin.chain },
    evm: { ethereum_localnet: ethereum.chain, arbitrum_localnet: arbitrum.chain },
    endpoints: Object.fromEntries([...running].map(([id, { endpoints }]) => [id, { endpoints }])),
    deployments: Object.assign({}, ...[...running.values()].map(({ deployments }) => deployments)),
    async give(id, address, amount) {
      const asset = localAssets.find((known) => known.id === id)
      const chain = asset === undefined ? undefined : running.get(asset.chain)
      if (asset === undefined || chain === undefined) throw new TandemError('bad_request', `the faucet has no "${id}"`)
      return chain.give(asset, address, amount)
    },
    async giveGas(chain, address) {
      await running.get(chain)?.giveGas?.(address)
    },
    async close() {
      await Promise.all([...running.values()].map((chain) => chain.close()))
    },
  }
}

function starterOf(starters: Readonly<Record<ChainId, StartFurther>>, id: ChainId): StartFurther {
  const start = starters[id]
  if (start === undefined) throw new Error(`there is no local chain ${id}`)
  return start
}

function chainOf(id: ChainId): Chain {
  const chain = localChains.find((known) => known.id === id)
  if (chain === undefined) throw new Error(`${id} is not in the registry`)
  return chain
}
