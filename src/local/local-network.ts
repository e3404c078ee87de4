/** The chains of the local network, running in this process, with contracts deployed and a faucet for each. */
import { isAddress } from 'viem'
import { startBitcoinRegtest } from '../../devnet/bitcoin/index.ts'
import type { MiningPolicy as BitcoinMining } from '../../devnet/bitcoin/mining.ts'
import { type EvmChain, startEvmChain } from '../../devnet/evm/evm-chain.ts'
import { createEvmFaucet, type EvmFaucet } from '../../devnet/evm/evm-faucet.ts'
import type { MiningPolicy as EvmMining } from '../../devnet/evm/evm-node.ts'
import { deployLocalContracts, type LocalContracts } from '../../devnet/evm/local-contracts.ts'
import type { AssetId, Deployment } from '../protocol/asset.ts'
import { TandemError } from '../protocol/error.ts'
import { localAssets, localChains } from '../protocol/registry/local.ts'
import type { LocalKeys } from './local-keys.ts'

/** The Bitcoin chain of a local stack: the simulator, or a real node in regtest mode. */
export type LocalBitcoin = {
  readonly rpcUrl: string
  readonly esploraUrl: string | null
  faucet(address: string, amount: bigint): Promise<string>
  mine(blocks: number): unknown
  close(): Promise<void>
}

export type LocalNetwork = {
  readonly bitcoin: LocalBitcoin
  readonly evm: Readonly<Record<EvmChainName, EvmChain>>
  /** For the parties' configuration. */
  readonly endpoints: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, string>> }>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
  /** Resolves to a transaction hash. */
  give(asset: string, address: string, amount: bigint): Promise<string>
  close(): Promise<void>
}

export type EvmChainName = 'ethereum_localnet' | 'arbitrum_localnet'

export type LocalMining = { readonly bitcoin: BitcoinMining; readonly evm: EvmMining }

export async function startLocalNetwork(keys: LocalKeys, mining: LocalMining, givenBitcoin?: LocalBitcoin): Promise<LocalNetwork> {
  const [bitcoin, ethereum, arbitrum] = await Promise.all([
    givenBitcoin ?? startBitcoinRegtest({ mining: mining.bitcoin }),
    startEvm('ethereum_localnet', keys, mining.evm),
    startEvm('arbitrum_localnet', keys, mining.evm),
  ])
  const chains = { ethereum_localnet: ethereum, arbitrum_localnet: arbitrum }

  return {
    bitcoin,
    evm: { ethereum_localnet: ethereum.chain, arbitrum_localnet: arbitrum.chain },
    endpoints: {
      bitcoin_regtest: { endpoints: { rpc: bitcoin.rpcUrl, ...(bitcoin.esploraUrl !== null && { esplora: bitcoin.esploraUrl }) } },
      ethereum_localnet: { endpoints: { rpc: ethereum.chain.rpcUrl } },
      arbitrum_localnet: { endpoints: { rpc: arbitrum.chain.rpcUrl } },
    },
    deployments: {
      'bitcoin_regtest:btc': { htlc: null, token: null },
      ...deploymentsOf('ethereum_localnet', ethereum.contracts),
      ...deploymentsOf('arbitrum_localnet', arbitrum.contracts),
    },
    async give(asset, address, amount) {
      const known = localAssets.find((a) => a.id === asset)
      if (known === undefined) throw new TandemError('bad_request', `the faucet has no "${asset}"`)
      if (known.chain === 'bitcoin_regtest') return bitcoin.faucet(address, amount)
      if (!isAddress(address, { strict: false }))
        throw new TandemError('invalid_address', `"${address}" is not an account on ${known.chain}`)
      const { faucet, contracts } = chains[known.chain as EvmChainName]
      if (known.tokenSchema === null) return faucet.giveNative(address, amount)
      return faucet.giveToken(known.symbol === 'WBTC' ? contracts.tokens.wbtc : contracts.tokens.usdc, address, amount)
    },
    async close() {
      await Promise.all([bitcoin.close(), ethereum.chain.close(), arbitrum.chain.close()])
    },
  }
}

type EvmSetup = { readonly chain: EvmChain; readonly contracts: LocalContracts; readonly faucet: EvmFaucet }

async function startEvm(id: EvmChainName, keys: LocalKeys, mining: EvmMining): Promise<EvmSetup> {
  const reference = localChains.find((chain) => chain.id === id)?.reference ?? ''
  const chain = await startEvmChain({ chainId: Number(reference.split(':')[1]), keys: [keys.faucet], mining: { kind: 'instant' } })
  const contracts = await deployLocalContracts(chain, keys.faucet)
  chain.setMining(mining)
  return { chain, contracts, faucet: createEvmFaucet(chain, keys.faucet) }
}

function deploymentsOf(chain: EvmChainName, { tokens, htlcs }: LocalContracts): Record<AssetId, Deployment> {
  return {
    [`${chain}:eth`]: { htlc: htlcs.native.toLowerCase(), token: null },
    [`${chain}:wbtc`]: { htlc: htlcs.wbtc.toLowerCase(), token: tokens.wbtc.toLowerCase() },
    [`${chain}:usdc`]: { htlc: htlcs.usdc.toLowerCase(), token: tokens.usdc.toLowerCase() },
  }
}
