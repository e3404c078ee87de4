// Starts the Tron simulator: one local chain behind the interfaces of a java-tron node, its HTTP API and its Ethereum-like JSON-RPC.

import { createEdrProvider } from '@tandem/evm/local/edr-provider.ts'
import type { EvmChainFaults } from '@tandem/evm/local/evm-chain.ts'
import type { MiningPolicy, ReorgOptions } from '@tandem/evm/local/evm-node.ts'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { createEthereumApi } from './ethereum-api.ts'
import { createTronNode } from './tron-node.ts'
import { startTronServer } from './tron-server.ts'
import { createWalletApi } from './wallet-api.ts'

export interface TronChainOptions {
  readonly chainId: number
  readonly port?: number
  /** The accounts of these private keys own TRX from the first block on. */
  readonly keys?: readonly Hex[]
  readonly mining?: MiningPolicy
  /** False means that the Ethereum-like interface returns no revert data, as in java-tron before 4.8.1. The default is true. */
  readonly returnsRevertData?: boolean
}

export interface TronChain {
  readonly chainId: number
  readonly url: string
  setMining(policy: MiningPolicy): void
  mine(blocks?: number): Promise<void>
  /** This also mines a block. */
  passSeconds(seconds: number): Promise<void>
  readonly faults: TronChainFaults
  close(): Promise<void>
}

export interface TronChainFaults extends Omit<EvmChainFaults, 'reorg'> {
  reorg(depth: number, options?: ReorgOptions): Promise<void>
}

/** The unit is sun: this is a million million TRX, as much as JSON numbers of wallets can still hold. */
const initialBalance = 10n ** 15n

export async function startTronChain(options: TronChainOptions): Promise<TronChain> {
  const { chainId, port = 0, keys = [], mining = { kind: 'instant' }, returnsRevertData = true } = options
  const funded = keys.map((key) => privateKeyToAddress(key))
  const edr = await createEdrProvider({ chainId, funded, balance: initialBalance, autoMine: false })
  const node = await createTronNode(edr, chainId, mining)
  const wallet = createWalletApi(node)
  const ethereum = createEthereumApi(node, returnsRevertData)
  const server = await startTronServer({ wallet, ethereum }, port).catch(async (error: unknown) => {
    await node.stop()
    throw error
  })

  return {
    chainId,
    url: `http://127.0.0.1:${server.port}`,
    setMining: node.setMining,
    async mine(blocks = 1) {
      for (let mined = 0; mined < blocks; mined += 1) await node.evm('evm_mine')
    },
    async passSeconds(seconds) {
      await node.evm('evm_increaseTime', [`0x${seconds.toString(16)}`])
      await node.evm('evm_mine')
    },
    faults: { reorg: node.reorg, drop: node.drop, delay: server.setDelay, offline: server.setOffline },
    async close() {
      await server.close()
      await node.stop()
    },
  }
}
