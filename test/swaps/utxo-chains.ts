/** Stories use UTXO chains behind one interface: simulators and real nodes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startBitcoinRegtest } from '@tandem/bitcoin/local/index.ts'
import { plugIn, type RegtestNode } from '@tandem/bitcoin/local/local.ts'
import { regtestNetworks } from '@tandem/bitcoin/local/network.ts'
import { type Behaviour, lyingAbout, startTestNode } from '@tandem/bitcoin/server/nodes/test-node.fixture.ts'
import { type BitcoinNetwork, networkOf } from '@tandem/bitcoin/terms/networks.ts'
import type { LocalChain } from '@tandem/chain-kit/local/local-chain.ts'
import { localChains } from '@tandem/families/registry.ts'
import { startRealChain } from '../nodes/real-chain.ts'

/** With `instant` every transaction gets a block. With `manual` blocks come only when `mine` is called. */
type Mining = 'instant' | 'manual'

export interface CoinChain {
  readonly id: string
  readonly asset: string
  readonly network: BitcoinNetwork
  /** A typical order has this amount, in the smallest unit. */
  readonly amount: bigint
  /** The amount is just above the dust limit. */
  readonly dust: bigint
  readonly local: LocalChain<RegtestNode>
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
  mine(blocks: number): Promise<void>
  setMining(mining: Mining): Promise<void>
  passTime(seconds: number): Promise<void>
  /** The block has this transaction instead of the unconfirmed one that spends the same UTXO. */
  mineInstead(transaction: string): Promise<void>
  /** The newest block is replaced by two empty ones, and its transactions are dropped. Only simulators can do so. */
  readonly dropNewestBlock?: () => void
}

const KINDS = {
  bitcoin: { id: 'bitcoin_regtest', asset: 'bitcoin_regtest:btc', reference: 'bitcoin:regtest', amount: 1_000_000n, dust: 400n },
  litecoin: { id: 'litecoin_regtest', asset: 'litecoin_regtest:ltc', reference: 'litecoin:regtest', amount: 500_000_000n, dust: 3_400n },
} as const
export type CoinKind = keyof typeof KINDS

const NODES = { bitcoin: 'bitcoind', litecoin: 'litecoind' } as const
const POLL_MS = 50

export async function startSimulatedCoins(kind: CoinKind): Promise<CoinChain> {
  let aheadMs = 0
  const { reference } = KINDS[kind]
  const simulated = regtestNetworks[reference]
  if (simulated === undefined) throw new Error(`${reference} cannot be simulated`)
  const chain = await startBitcoinRegtest({ network: simulated, mining: { mode: 'instant' }, nowMs: () => Date.now() + aheadMs })
  const rpc = createRpc(chain.rpcUrl)
  return {
    ...KINDS[kind],
    network: networkOf(reference),
    local: plugIn(registered(kind), chain),
    rpc,
    mine: async (blocks) => void chain.mine(blocks),
    setMining: async (mode) => chain.setMining({ mode }),
    async passTime(seconds) {
      aheadMs += seconds * 1000
      chain.mine(1)
    },
    async mineInstead(transaction) {
      await rpc('sendrawtransaction', transaction)
      chain.mine(1)
    },
    dropNewestBlock: () => void chain.reorg(1, { dropTransactions: true }),
  }
}

/** Rates in coins per 1000 vbytes. The next blocks are far more expensive than those of a usual day, so presigned fees are too low when they are sent. */
const [RISEN_RATE, USUAL_RATE] = [0.0002, 0.00002]
const MAX_PEAK_BLOCKS = 6

/** A node's own estimate depends on all that it has mined so far, and so on what else runs. */
const risenFees: Behaviour = (question, ask) =>
  question.body.includes('estimatesmartfee') ? estimatingRisenFees(question, ask) : ask(question)
const estimatingRisenFees = lyingAbout({
  estimatesmartfee: ([blocks]) => ({ feerate: Number(blocks) > MAX_PEAK_BLOCKS ? USUAL_RATE : RISEN_RATE, blocks }),
})

/** The nodes report risen fees; the simulators' fees are steady. */
export async function startRealCoins(kind: CoinKind): Promise<CoinChain> {
  const chain = await startRealChain(NODES[kind])
  const node = await startTestNode(chain.node.rpcUrl, risenFees)
  const network = networkOf(KINDS[kind].reference)
  const rpc = <T>(method: string, ...params: readonly unknown[]) => chain.node.rpc<T>(method, params)
  const miner = startInstantMiner(async () => {
    if ((await rpc<string[]>('getrawmempool')).length > 0) await chain.mine(1)
  })
  let aheadSeconds = 0
  return {
    ...KINDS[kind],
    network,
    local: plugIn(registered(kind), {
      rpcUrl: node.url,
      esploraUrl: null,
      faucet: chain.pay,
      mine: chain.mine,
      async close() {
        await miner.stop()
        await node.close()
        await chain.close()
      },
    }),
    rpc,
    mine: (blocks) => chain.mine(blocks),
    setMining: (mining) => miner.set(mining),
    async passTime(seconds) {
      aheadSeconds += seconds
      await rpc('setmocktime', Math.floor(Date.now() / 1000) + aheadSeconds)
      await chain.mine(1)
    },
    async mineInstead(transaction) {
      // This network's nodes do not replace transactions, but a miner can include the conflicting one.
      if (!network.replaces) await rpc('generateblock', chain.walletAddress, [transaction])
      else {
        await rpc('sendrawtransaction', transaction)
        await chain.mine(1)
      }
    },
  }
}

function registered(kind: CoinKind) {
  const chain = localChains.find(({ id }) => id === KINDS[kind].id)
  if (chain === undefined) throw new Error(`${kind} is not a local chain`)
  return chain
}

function startInstantMiner(mineIfPending: () => Promise<void>) {
  let mining: Mining = 'instant'
  let isStopped = false
  let polling = Promise.resolve()
  const loop = (async () => {
    while (!isStopped) {
      if (mining === 'instant') polling = mineIfPending()
      await polling
      await sleep(POLL_MS)
    }
  })()
  return {
    async set(next: Mining) {
      mining = next
      await polling
    },
    async stop() {
      isStopped = true
      await loop
    },
  }
}

function createRpc(url: string) {
  return async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '1.0', id: method, method, params }) })
    const { result, error } = (await response.json()) as { result: T; error: { message: string } | null }
    if (error !== null) throw new Error(`${method}: ${error.message}`)
    return result
  }
}
