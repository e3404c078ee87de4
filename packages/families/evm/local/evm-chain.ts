// Starts one local EVM chain behind the RPC that real nodes speak.
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { createEdrProvider, type EdrProvider, type JsonRpcCall } from './edr-provider.ts'
import { type BlockHooks, createEvmNode, type MiningPolicy, type ReorgOptions, type ReorgReport } from './evm-node.ts'
import { type JsonRpcServer, startJsonRpcServer } from './json-rpc-server.ts'

export interface EvmChainOptions {
  readonly chainId: number
  readonly port?: number
  readonly keys?: readonly Hex[]
  readonly mining?: MiningPolicy
  readonly hardfork?: string
  /** Simulators act before or after each block. The hooks are called before the first block. */
  readonly hooks?: (edr: EdrProvider) => Promise<BlockHooks>
}

export interface EvmChain {
  readonly chainId: number
  readonly rpcUrl: string
  readonly webSocketUrl: string
  request(call: JsonRpcCall): Promise<unknown>
  setMining(policy: MiningPolicy): void
  readonly faults: EvmChainFaults
  close(): Promise<void>
}

export interface EvmChainFaults {
  reorg(depth: number, options?: ReorgOptions): Promise<ReorgReport>
  drop(count: number): void
  delay(delayMs: number): void
  offline(offline: boolean): void
}

/** No test spends as much, and the sum is far below an overflow. */
const initialBalance = 10n ** 26n

export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  const { chainId, port = 0, keys = [], mining = { kind: 'instant' } } = options
  let server: JsonRpcServer | undefined
  const edr = await createEdrProvider({
    chainId,
    funded: keys.map((key) => privateKeyToAddress(key)),
    balance: initialBalance,
    autoMine: false,
    ...(options.hardfork !== undefined && { hardfork: options.hardfork }),
    onSubscription({ filterId, result }) {
      // EDR reports all logs of a block at once, nodes report each.
      for (const one of Array.isArray(result) ? result : [result]) server?.publish(`0x${filterId.toString(16)}`, one)
    },
  })
  const node = await createEvmNode(edr, mining, await options.hooks?.(edr))
  try {
    server = await startJsonRpcServer(node.serve, port)
  } catch (error) {
    await node.stop()
    throw error
  }
  const { setDelay, setOffline, close, port: listeningPort } = server

  return {
    chainId,
    rpcUrl: `http://127.0.0.1:${listeningPort}`,
    webSocketUrl: `ws://127.0.0.1:${listeningPort}`,
    request: node.request,
    setMining: node.setMining,
    faults: { reorg: node.reorg, drop: node.drop, delay: setDelay, offline: setOffline },
    async close() {
      await close()
      await node.stop()
    },
  }
}
