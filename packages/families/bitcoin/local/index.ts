// Simulates a Bitcoin regtest node in this process, with real blocks, scripts and signatures and no peers. It is never for production.
import { decodeAddress } from './address.ts'
import { createEsploraHandler } from './esplora/esplora-server.ts'
import { createFaucet } from './faucet.ts'
import { createFaultState, type Faults } from './http/faults.ts'
import { type HttpRequest, type HttpServer, startHttpServer } from './http/http-server.ts'
import { createMiner, type MiningPolicy } from './mining.ts'
import { type BitcoinNetwork, bitcoinRegtest } from './network.ts'
import { type BitcoinNode, createBitcoinNode, type Dropped } from './node.ts'
import { createRpcHandler } from './rpc/rpc-server.ts'
import { waitForBlock } from './rpc/wait-for-block.ts'

export type { MiningPolicy }

export type BitcoinRegtestOptions = {
  readonly network?: BitcoinNetwork
  readonly rpcPort?: number
  readonly esploraPort?: number
  readonly mining?: MiningPolicy
  /** All rewards but the last hundred are spendable immediately. */
  readonly premineBlocks?: number
  readonly rpcCredentials?: string | null
  readonly estimatedSatsPerVbyte?: bigint | null
  /** Esplora refuses to list more coins of an address, as public servers do with 500. By default it lists all. */
  readonly esploraMostCoins?: number
  readonly nowMs?: () => number
}

export type ReorgOptions = {
  readonly dropTransactions?: Dropped
  readonly mineReturned?: boolean
}

export type BitcoinRegtest = {
  readonly rpcUrl: string
  readonly esploraUrl: string
  readonly network: BitcoinNetwork
  readonly height: number
  readonly tipHash: string
  readonly faults: Faults
  faucet(address: string, amount: bigint): Promise<string>
  mine(count?: number, address?: string): string[]
  setMining(policy: MiningPolicy): void
  reorg(depth: number, options?: ReorgOptions): string[]
  close(): Promise<void>
}

const PREMINE_BLOCKS = 150
const PREMINE_SPACING_SECONDS = 60
const DEFAULT_SATS_PER_VBYTE = 2n

function premine(node: BitcoinNode, script: Uint8Array, count: number): void {
  const start = node.nowSeconds() - count * PREMINE_SPACING_SECONDS
  for (let i = 1; i <= count; i++) node.mine(script, { time: start + i * PREMINE_SPACING_SECONDS })
}

export async function startBitcoinRegtest(options: BitcoinRegtestOptions = {}): Promise<BitcoinRegtest> {
  const { network = bitcoinRegtest, premineBlocks = PREMINE_BLOCKS, nowMs = Date.now } = options
  const satsPerVbyte = options.estimatedSatsPerVbyte === undefined ? DEFAULT_SATS_PER_VBYTE : options.estimatedSatsPerVbyte
  const estimatedSatsPerKvb = satsPerVbyte === null ? null : satsPerVbyte * 1_000n
  const maxCoins = options.esploraMostCoins ?? Number.POSITIVE_INFINITY
  const node = createBitcoinNode({ network, nowSeconds: () => Math.floor(nowMs() / 1_000) })
  const faucet = createFaucet(node)
  premine(node, faucet.script, premineBlocks)
  const miner = createMiner(node, faucet.script, options.mining ?? { mode: 'manual' })
  const faults = createFaultState()
  const servers: HttpServer[] = []

  async function close(): Promise<void> {
    miner.close()
    await Promise.all(servers.map((server) => server.close()))
  }

  const rpcHandler = createRpcHandler(
    { node, faults, estimatedSatsPerKvb, startedAtSeconds: node.nowSeconds() },
    options.rpcCredentials ?? null,
  )
  try {
    const handleRpc = async (request: HttpRequest) => {
      await waitForBlock(node, request.body)
      return rpcHandler(request)
    }
    servers.push(await startHttpServer(options.rpcPort ?? 0, faults, handleRpc))
    servers.push(
      await startHttpServer(options.esploraPort ?? 0, faults, createEsploraHandler({ node, faults, estimatedSatsPerKvb, maxCoins })),
    )
  } catch (error) {
    await close()
    throw error
  }

  function rewardScript(address: string | undefined): Uint8Array {
    const script = address === undefined ? faucet.script : decodeAddress(address, network)
    if (script === null) throw new TypeError(`not an address of this network: ${address}`)
    return script
  }

  function reorg(depth: number, { dropTransactions, mineReturned = false }: ReorgOptions = {}): string[] {
    const first = node.chain.at(node.chain.tip().height - depth + 1)
    if (!Number.isInteger(depth) || depth < 1 || first === undefined || first.previous === null)
      throw new RangeError(`cannot replace ${depth} blocks`)
    node.invalidate(first, dropTransactions)
    const hashes = Array.from({ length: depth + 1 }, () => node.mine(faucet.script, { empty: !mineReturned }).block.hash)
    miner.reschedule()
    return hashes
  }

  return {
    rpcUrl: servers[0]?.url ?? '',
    esploraUrl: servers[1]?.url ?? '',
    network,
    get height() {
      return node.chain.tip().height
    },
    get tipHash() {
      return node.chain.tip().block.hash
    },
    faults,
    faucet: async (address, amount) => faucet.pay(address, amount),
    mine(count = 1, address) {
      const script = rewardScript(address)
      return Array.from({ length: count }, () => node.mine(script).block.hash)
    },
    setMining: miner.setPolicy,
    reorg,
    close,
  }
}
