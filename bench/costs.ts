/** A completed swap costs both parties gas, fees and requests, compared here with the spread that the user was charged. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChain } from '@tandem/chain-kit/local/local-chain.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import { chooseChains } from '@tandem/local/choose-chains.ts'
import { createLocalKeys } from '@tandem/local/local-keys.ts'
import { startLocalStack } from '@tandem/local/stack.ts'
import { formatUsd, usdMicros } from '@tandem/protocol/amount.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import type { CreatedOrder } from '../demo/client/api-client.ts'
import { createLocalClient, type LocalClient } from '../demo/client/local-client.ts'
import type { Bench, Size } from './bench.ts'
import { callNode } from './load/quick-api.ts'
import { type CountingProxy, startCountingProxy } from './rpc/counting-proxy.ts'

type Rate = { readonly swaps: number; readonly seconds: number }

const RATES = {
  full: [
    { swaps: 2, seconds: 120 },
    { swaps: 5, seconds: 60 },
    { swaps: 20, seconds: 60 },
    // All swaps start at once, so redeems of one asset share a transaction.
    { swaps: 20, seconds: 0 },
  ],
  smallest: [{ swaps: 1, seconds: 0 }],
} satisfies Record<Size, readonly Rate[]>

const source = 'ethereum_localnet'
const destination = 'arbitrum_localnet'
const from = `${source}:usdc`
const to = `${destination}:usdc`
const AMOUNT = 1_000_000_000n
const ETHER_PRICE = 4_000n * 10n ** 8n
const POLL_MS = 50

type Row = {
  readonly rate: Rate
  readonly spent: Readonly<Record<ChainId, Spent>>
  readonly requests: number
  readonly chargedUsdMicros: bigint
}

async function measureCosts(rates: readonly Rate[], onProgress: (what: string) => void): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-costs-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    onProgress('starting the local stack')
    const proxies = new Map<ChainId, CountingProxy>()
    const runningChains: Record<ChainId, LocalChain> = {}
    const nodeUrls = new Map<ChainId, string>()
    for (const chain of chooseChains([source, destination])) {
      const family = await loadLocalFamily(chain.family)
      const started = await family.start(chain, { faucetKey: createLocalKeys().faucet.secp256k1, mining: 'instant' })
      const proxy = await startCountingProxy(started.endpoints.rpc ?? '')
      cleanups.push(proxy.close)
      proxies.set(chain.id, proxy)
      nodeUrls.set(chain.id, started.endpoints.rpc ?? '')
      runningChains[chain.id] = { ...started, endpoints: { ...started.endpoints, rpc: proxy.url } }
    }
    const log = createLogger({ name: 'costs', level: 'warn' })
    const stack = await startLocalStack({
      folder,
      port: 0,
      log,
      chains: [source, destination],
      mining: 'instant',
      runningChains,
      redeemWaitSeconds: 0,
    })
    cleanups.push(stack.stop)
    await chargeCurrentFees(stack)
    const client = createLocalClient(stack.info)
    // Approvals are not counted.
    await swapOnce(client)
    const rows: Row[] = []
    for (const rate of rates) {
      onProgress(`${rate.swaps} swaps in ${rate.seconds} s`)
      const blocks = await takeBlocks(nodeUrls)
      for (const proxy of proxies.values()) proxy.take()
      const charged = await swapAt(client, rate)
      const requests = [...proxies.values()].reduce((sum, proxy) => sum + proxy.take().calls, 0)
      const user = client.ownerOf(from).toLowerCase()
      rows.push({ rate, requests, chargedUsdMicros: charged, spent: await readSpent(nodeUrls, blocks, user) })
    }
    return rows
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

/** The local stack charges a fixed fee, so that amounts are always the same. */
async function chargeCurrentFees({ configs, solver }: Awaited<ReturnType<typeof startLocalStack>>): Promise<void> {
  await solver.setRunning(false)
  const config = JSON.parse(await readFile(configs.solverFile, 'utf8'))
  await writeFile(configs.solverFile, JSON.stringify({ ...config, fixed_fee_usd: '0', pricing: {} }))
  await solver.setRunning(true)
}

/** Resolves to what the users were charged, when every swap is settled. */
async function swapAt(client: LocalClient, { swaps, seconds }: Rate): Promise<bigint> {
  const running: Promise<bigint>[] = []
  for (let swap = 0; swap < swaps; swap++) {
    running.push(swapOnce(client))
    await sleep((seconds * 1000) / swaps)
  }
  return (await Promise.all(running)).reduce((sum, charged) => sum + charged, 0n)
}

/** A swap goes from the quote to the solver's redeem of the source. Both assets are dollars, so the difference is the charge. */
async function swapOnce(client: LocalClient): Promise<bigint> {
  const quote = await client.api.quote({ from, to, from_amount: AMOUNT.toString() })
  const made = await client.api.createOrder({
    source: { asset: from, owner: client.ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: client.ownerOf(to), amount: quote.destination.amount },
  })
  await fundOneAtATime(client, made)
  for (;;) {
    const { source_swap, destination_swap } = await client.api.order(made.order_id)
    if (source_swap.redeem_tx_hash !== '' && destination_swap.redeem_tx_hash !== '')
      return BigInt(quote.source.amount) - BigInt(quote.destination.amount)
    await sleep(POLL_MS)
  }
}

/** One wallet takes its nonces one after the other. */
let lastFunded: Promise<unknown> = Promise.resolve()
function fundOneAtATime(client: LocalClient, made: CreatedOrder): Promise<unknown> {
  lastFunded = lastFunded.then(async () => (await client.walletFor(from)).fund(made))
  return lastFunded
}

function toCells({ rate, spent, requests, chargedUsdMicros }: Row): readonly (string | number)[] {
  const swaps = BigInt(rate.swaps)
  const [onSource, onDestination] = [spent[source], spent[destination]].map((one) => one ?? { gas: 0n, wei: 0n, transactions: 0 })
  const wei = (onSource?.wei ?? 0n) + (onDestination?.wei ?? 0n)
  const fees = usdMicros(wei, 18, ETHER_PRICE) / swaps
  const charged = chargedUsdMicros / swaps
  return [
    rate.seconds === 0 ? `${rate.swaps} at once` : (rate.swaps * 60) / rate.seconds,
    ((onSource?.transactions ?? 0) + (onDestination?.transactions ?? 0)) / rate.swaps,
    Number((onSource?.gas ?? 0n) / swaps),
    Number((onDestination?.gas ?? 0n) / swaps),
    formatUsd(fees),
    Math.round(requests / rate.swaps),
    formatUsd(charged),
    (Number(fees) / Number(charged)).toFixed(2),
  ]
}

type Spent = { readonly transactions: number; readonly gas: bigint; readonly wei: bigint }

type Urls = ReadonlyMap<ChainId, string>
type Receipt = { readonly from: string; readonly gasUsed: string; readonly effectiveGasPrice: string }

async function takeBlocks(urls: Urls): Promise<ReadonlyMap<ChainId, bigint>> {
  const heights = [...urls].map(async ([id, url]) => [id, BigInt(String(await callNode(url, 'eth_blockNumber', [])))] as const)
  return new Map(await Promise.all(heights))
}

/** The receipts of all blocks since then show the transactions of everyone but the user. */
async function readSpent(urls: Urls, since: ReadonlyMap<ChainId, bigint>, user: string): Promise<Readonly<Record<ChainId, Spent>>> {
  const spent: Record<ChainId, Spent> = {}
  const newest = await takeBlocks(urls)
  for (const [id, url] of urls) {
    const receipts: Receipt[] = []
    for (let height = (since.get(id) ?? 0n) + 1n; height <= (newest.get(id) ?? 0n); height++) {
      const { transactions } = (await callNode(url, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false])) as {
        readonly transactions: readonly string[]
      }
      for (const tx of transactions) receipts.push((await callNode(url, 'eth_getTransactionReceipt', [tx])) as Receipt)
    }
    const ours = receipts.filter(({ from }) => from.toLowerCase() !== user)
    spent[id] = {
      transactions: ours.length,
      gas: ours.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
      wei: ours.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice), 0n),
    }
  }
  return spent
}

export const costsBench: Bench = {
  name: 'costs',
  about: 'gas, fees and requests of a completed swap, against the spread that was charged',
  conditions: `${source}:usdc → ${destination}:usdc, 1,000 dollars, on instantly mined local chains, at their own price of gas and 4,000 dollars an ether; blocks every second raise the requests of slow rates. Transactions of the service and the solver: the initiation of the destination, both redeems. The user's own deposit is not counted. Charged: a spread of 0.3 %, and both legs at current fees. Requests: calls to both nodes by both parties, polls included, from the first order to the last redeem.`,
  async run({ size, onProgress }) {
    const rows = await measureCosts(RATES[size], onProgress)
    const cells = rows.map(toCells)
    return {
      ok: rows.every(({ chargedUsdMicros, spent }) => {
        const wei = Object.values(spent).reduce((sum, one) => sum + one.wei, 0n)
        return usdMicros(wei, 18, ETHER_PRICE) < chargedUsdMicros
      }),
      table: {
        columns: [
          'swaps a minute',
          'transactions',
          'gas, source',
          'gas, destination',
          'fees, dollars',
          'requests',
          'charged, dollars',
          'fees / charged',
        ],
        rows: cells,
      },
    }
  },
}
