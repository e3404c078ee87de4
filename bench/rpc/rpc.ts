/** The parties' requests to their nodes are counted when idle, with an open order, and for a swap. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChain } from '@tandem/chain-kit/local/local-chain.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import { chooseChains } from '@tandem/local/choose-chains.ts'
import { createLocalKeys } from '@tandem/local/local-keys.ts'
import { startLocalStack } from '@tandem/local/stack.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { createLocalClient, type LocalClient } from '../../demo/client/local-client.ts'
import { type Bench, ratio, type Size } from '../bench.ts'
import { type Counted, type CountingProxy, startCountingProxy, sum, times } from './counting-proxy.ts'
import { FAST_CHAIN, FAST_CHAIN_BLOCKS_A_SECOND, measureFastChain } from './measure-fast-chain.ts'

type RpcSize = {
  readonly seconds: number
  readonly swaps: number
  readonly missedHours: number
}

const SIZES = {
  full: { seconds: 60, swaps: 15, missedHours: 24 },
  smallest: { seconds: 1, swaps: 1, missedHours: 1 },
} satisfies Record<Size, RpcSize>

type RpcRow = {
  readonly what: string
  readonly chain: string
  /** Each call inside a batch counts. */
  readonly calls: number
  readonly http: number
  readonly limit: number | null
  readonly topMethods: string
}

/** The limit is over both chains and both parties. */
const SWAP_LIMIT = 40
const MINUTE = 60
const DAY = 86_400
const POLL_MS = 20

const source = 'ethereum_localnet'
const destination = 'arbitrum_localnet'
const bitcoin = 'bitcoin_regtest'
const chains = [bitcoin, source, destination] as const

type Asked = ReadonlyMap<ChainId, Counted>

async function measureRpc(onProgress: (what: string) => void, size: RpcSize): Promise<RpcRow[]> {
  const local = await measureLocalStack(onProgress, size)
  onProgress(`${FAST_CHAIN}: four blocks a second`)
  const missedBlocks = size.missedHours * 3600 * FAST_CHAIN_BLOCKS_A_SECOND
  const fast = await measureFastChain({ seconds: size.seconds, missedBlocks, providers: 1, quorum: 1 })
  onProgress(`${FAST_CHAIN}: three providers, of which two must agree`)
  const shared = await measureFastChain({ seconds: size.seconds, missedBlocks, providers: 3, quorum: 2 })
  const perDay = (counted: Counted) => times(counted, DAY / size.seconds)
  return [
    ...local,
    rowOf('idle, a day, one party', FAST_CHAIN, perDay(fast.idle), 25_000),
    rowOf('an open order, a day, one party', FAST_CHAIN, perDay(fast.open), 100_000),
    rowOf('catching up a day, one party', FAST_CHAIN, times(fast.catchUp, 24 / size.missedHours), null),
    rowOf('idle, a day, each provider, 2 of 3', FAST_CHAIN, perDay(shared.idle), 25_000),
    rowOf('an open order, a day, each provider, 2 of 3', FAST_CHAIN, perDay(shared.open), 100_000),
    rowOf('catching up a day, each provider, 2 of 3', FAST_CHAIN, times(shared.catchUp, 24 / size.missedHours), null),
  ]
}

async function measureLocalStack(onProgress: (what: string) => void, { seconds, swaps }: RpcSize): Promise<RpcRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-rpc-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    onProgress('starting the local stack')
    const proxies = new Map<ChainId, CountingProxy>()
    const runningChains: Record<ChainId, LocalChain> = {}
    for (const chain of chooseChains(chains)) {
      const family = await loadLocalFamily(chain.family)
      const started = await family.start(chain, { faucetKey: createLocalKeys().faucet.secp256k1, mining: 'instant' })
      const proxy = await startCountingProxy(started.endpoints.rpc ?? '')
      cleanups.push(proxy.close)
      proxies.set(chain.id, proxy)
      runningChains[chain.id] = { ...started, endpoints: { ...started.endpoints, rpc: proxy.url } }
    }
    const log = createLogger({ name: 'rpc', level: 'warn' })
    const stack = await startLocalStack({ folder, port: 0, log, chains, mining: 'instant', runningChains })
    cleanups.push(stack.stop)
    const client = createLocalClient(stack.info)
    const count = async (work: () => Promise<unknown>): Promise<Asked> => {
      for (const proxy of proxies.values()) proxy.take()
      await work()
      return new Map([...proxies].map(([id, proxy]) => [id, proxy.take()]))
    }

    onProgress(`idle for ${seconds} s`)
    const idle = await count(() => sleep(seconds * 1000))
    // The solver's approval of its token is not counted.
    await swapOnce(client)
    onProgress(`${swaps} swaps`)
    const startedAtMs = performance.now()
    const swapped = await count(async () => {
      for (let swap = 0; swap < swaps; swap++) await swapOnce(client)
    })
    const swapSeconds = (performance.now() - startedAtMs) / 1000 / swaps
    await order(client, `${bitcoin}:btc`, `${source}:wbtc`, 100_000n)
    await order(client, `${source}:eth`, `${destination}:usdc`, 10_000_000_000_000_000n)
    onProgress(`with open orders for ${seconds} s`)
    const open = await count(() => sleep(seconds * 1000))
    const both = sum([source, destination].map((id) => of(swapped, id)))
    return [
      ...chains.map((id) => rowOf('idle, a minute, both parties', id, times(of(idle, id), MINUTE / seconds), null)),
      ...chains.map((id) => rowOf('an open order, a minute, both parties', id, times(of(open, id), MINUTE / seconds), null)),
      rowOf(`a swap of ${swapSeconds.toFixed(1)} s, both parties`, `${source} → ${destination}`, times(both, 1 / swaps), SWAP_LIMIT),
    ]
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

async function order(client: LocalClient, from: string, to: string, amount: bigint) {
  const quote = await client.api.quote({ from, to, from_amount: amount.toString() })
  return client.api.createOrder({
    source: { asset: from, owner: client.ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: client.ownerOf(to), amount: quote.destination.amount },
  })
}

async function swapOnce(client: LocalClient): Promise<void> {
  const from = `${source}:eth`
  const made = await order(client, from, `${destination}:usdc`, 10_000_000_000_000_000n)
  await (await client.walletFor(from)).fund(made)
  for (;;) {
    const { source_swap, destination_swap } = await client.api.order(made.order_id)
    if (source_swap.redeem_tx_hash !== '' && destination_swap.redeem_tx_hash !== '') return
    await sleep(POLL_MS)
  }
}

function of(asked: Asked, chain: ChainId): Counted {
  return asked.get(chain) ?? sum([])
}

function rowOf(what: string, chain: string, { calls, http, byMethod }: Counted, limit: number | null): RpcRow {
  const most = [...byMethod].sort(([, a], [, b]) => b - a).slice(0, 5)
  const topMethods = most.map(([method, count]) => `${tenth(count).toLocaleString('en-US')} ${method.replace(/^eth_/, '')}`).join(', ')
  return { what, chain, calls: tenth(calls), http: tenth(http), limit, topMethods }
}

function tenth(count: number): number {
  return count < 100 ? Math.round(count * 10) / 10 : Math.round(count)
}

export const rpcBench: Bench = {
  name: 'rpc',
  about: 'requests to the nodes: idle, with an open order, for a swap, catching up a day',
  conditions: `Counted by a proxy in front of each node; each call inside a JSON-RPC batch counts. Local stack: ${SIZES.full.seconds} s idle and ${SIZES.full.seconds} s with open orders, ${SIZES.full.swaps} swaps one after the other from the quote to the last redeem, with all polls in between; blocks every second and for every transaction, subscriptions to new blocks where the nodes have them (not counted). Four blocks a second: the registry's data of a public chain, a simulator of its node without subscriptions; one provider, and three of which two must agree.`,
  async run({ size, onProgress }) {
    const rows = await measureRpc(onProgress, SIZES[size])
    return {
      ok: rows.every(({ calls, limit }) => limit === null || calls <= limit),
      table: {
        columns: ['what', 'chain', 'calls', 'HTTP requests', 'limit', 'ratio', 'most asked'],
        rows: rows.map((row) => [row.what, row.chain, row.calls, row.http, row.limit ?? '–', ratio(row.calls, row.limit), row.topMethods]),
      },
    }
  },
}
