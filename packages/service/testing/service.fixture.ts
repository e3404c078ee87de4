/** The API on a real port with a real database, simulated chains and simulated solvers. */

import { request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http'
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import type { ChainStatus } from '@tandem/party/engine/engine-report.ts'
import { createServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { readCursor, recordPoll } from '@tandem/party/store/chain/events.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { countSettledOrders } from '@tandem/party/store/order-list/settled-orders.ts'
import { recordOwnFill } from '@tandem/party/store/orders/fills.ts'
import { createVault, type Vault } from '@tandem/party/store/orders/sealed-values.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order, Swap } from '@tandem/protocol/order.ts'
import { withProblems } from '@tandem/runtime/log.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { createApi } from '../api/app.ts'
import type { LoadLevel } from '../api/load/load-monitor.ts'
import { completeSettings } from '../context.ts'
import { signWishedRefunds } from '../instant-refund/sign-wished-refunds.ts'
import { createRecentProblems } from '../operator/recent-problems.ts'
import { createRecentAuctions, type RecentAuctions } from '../quotes/recent-auctions.ts'
import { createSolverPool, type SolverPool } from '../solvers/pool.ts'
import { createSolverRequests } from '../solvers/solver-requests.ts'
import { createFakeChain, type FakeChain } from './fake-chain.fixture.ts'
import { type FakeSolver, startFakeSolver } from './fake-solver.fixture.ts'
import { unusedAddress } from './unused-address.fixture.ts'

export const NOW = 1_800_000_000n

/** The keys of two solvers that sign requests of the API, and the public key of the service, for which they are. */
export const solverSigningKeys = { solver: createSigningKey('31'.repeat(32)), second: createSigningKey('32'.repeat(32)) }
export const SERVICE_PUBLIC_KEY = createSigningKey('33'.repeat(32)).publicKey

export const btc = 'bitcoin_regtest:btc'
export const wbtc = 'ethereum_localnet:wbtc'
export const eth = 'ethereum_localnet:eth'
export const usdc = 'arbitrum_localnet:usdc'
export const alice = `0x${'a1'.repeat(20)}`
export const bob = `0x${'b0'.repeat(20)}`
export const aliceScript = 'fake1aliceaaaaa'

/** This asset is listed, but has no contracts. */
export const inactive = 'arbitrum_localnet:wbtc'

export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly status: string; readonly error: string | null; readonly result: unknown; readonly code?: string }
}

export type RawReply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

export type Call = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>>; readonly raw?: string }

export type TestService = {
  readonly url: string
  readonly server: Server
  readonly databaseUrl: string
  readonly db: Database
  readonly vault: Vault
  readonly appId: string
  readonly otherAppId: string
  readonly solver: FakeSolver
  readonly secondSolver: FakeSolver
  readonly chains: ReadonlyMap<ChainId, FakeChain>
  /** Tests change the world; `reset` restores it. */
  readonly world: {
    now: bigint
    nowMs: number
    unreachable: Set<ChainId>
    overloaded: boolean
    engineProblem: string | null
    load: LoadLevel
    inFlight: number
    priceOf: (asset: AssetId) => UsdPrice
    onWake: () => void
  }
  readonly logged: string[]
  readonly pool: SolverPool
  call(method: string, path: string, call?: Call): Promise<Reply>
  /** This sends a GET with exactly these headers and returns the raw body: `fetch` would add headers and decompress. */
  raw(path: string, headers: Readonly<Record<string, string>>): Promise<RawReply>
  mine(chain: ChainId, block: { readonly height: bigint; readonly time: bigint }, events: readonly HtlcEvent[]): Promise<void>
  signFill(order: Order): Promise<void>
  countRows(): Promise<Readonly<Record<string, number>>>
  forget(): void
  reset(): void
  close(): Promise<void>
}

export const deployments = Object.fromEntries(
  localAssets
    .filter(({ id }) => id !== inactive)
    .map(({ id, tokenSchema, htlcSchema }, index): [AssetId, Deployment] => [
      id,
      htlcSchema === 'bitcoin:htlc'
        ? { htlc: null, token: null }
        : { htlc: unusedAddress(htlcSchema, 'e', index), token: tokenSchema === null ? null : unusedAddress(tokenSchema, 'f', index) },
    ]),
)

const DOLLARS = 100_000_000n
const prices = Object.fromEntries(
  localAssets.map(({ id, symbol }) => [id, (symbol === 'USDC' ? 1n : symbol === 'ETH' ? 3000n : 60_000n) * DOLLARS]),
)

/** The simulated solvers know no prices, so any price passes. */
const ANY_PRICE = 10 ** 15

type Settings = Parameters<typeof createApi>[0]['settings']

export const sharedService = (settings?: Settings): TestService => opened(() => startTestService(settings))

export async function startTestService(settings: Settings = { environment: 'local' }): Promise<TestService> {
  const database = await createTestDatabase()
  const db = await openDatabase(database.url)
  const [{ appId }, { appId: otherAppId }] = [await createApp(db, 'shop'), await createApp(db, 'rival')]
  const [solver, secondSolver] = [await startFakeSolver('first'), await startFakeSolver('second')]
  const chains = new Map(
    localChains.map((chain) => [chain.id, createFakeChain(chain, chain.clock.unit === 'blocks' ? 'order-key' : 'account')]),
  )
  const vault = createVault(VAULT_KEY)
  const solvers = [solver.client, secondSolver.client]
  const feed = createStaticFeed(prices)
  const initialWorld = () => ({
    now: NOW,
    nowMs: 1,
    unreachable: new Set<ChainId>(),
    overloaded: false,
    engineProblem: null,
    load: 0 as LoadLevel,
    inFlight: 0,
    priceOf: feed.of,
    onWake: () => undefined,
  })
  const world: TestService['world'] = initialWorld()
  const logged: string[] = []
  const problems = createRecentProblems()
  const log = withProblems(
    testLog((line) => logged.push(line)),
    problems.add,
  )
  const relay = createKeyring([createKey('secp256k1', '11'.repeat(32))])
  const chainStatus = (chain: ChainId): ChainStatus => ({
    tip: { height: 120n, hash: 'tip', parentHash: '', time: world.now - 5n },
    recordedHeight: 119n,
    isLeasedElsewhere: false,
    problem: world.unreachable.has(chain) ? 'no answer' : null,
    isHealthy: !world.unreachable.has(chain),
    silentMs: 1_000,
    isAnnounced: false,
  })
  const metrics = createServiceMetrics({
    db,
    log,
    problems: problems.counts,
    chains: localChains,
    chainStatus,
    nodes: {},
    now: () => world.now,
  })
  const memory = createMemory(() => createSolverPool({ solvers, log, readSettled: () => countSettledOrders(db), nowMs: () => world.nowMs }))
  const engineContext = {
    db,
    registry: localRegistry(deployments),
    clients: chains,
    solvers,
    vault,
    prices: { ...feed, of: (asset: AssetId) => world.priceOf(asset) },
    settings: completeSettings(settings),
    log,
    now: () => world.now,
    wake: () => world.onWake(),
  }
  const api = createApi({
    db,
    registry: localRegistry(deployments),
    clients: chains,
    solvers,
    ...memory.parts,
    solverRequests: createSolverRequests(
      Object.entries(solverSigningKeys).map(([id, { publicKey }]) => ({ id, publicKey })),
      SERVICE_PUBLIC_KEY,
    ),
    sealer: vault,
    prices: { ...feed, of: (asset) => world.priceOf(asset) },
    log,
    now: () => world.now,
    expectOrders: () => world.onWake(),
    wake: () => world.onWake(),
    signRefunds: (wish) => signWishedRefunds(engineContext, wish),
    chainHealthy: (chain) => !world.unreachable.has(chain),
    admits: () => !world.overloaded,
    engineProblem: () => world.engineProblem,
    load: {
      level: () => world.load,
      begin() {
        world.inFlight += 1
        return () => {
          world.inFlight -= 1
        }
      },
      read: () => ({ delayMs: 0, inFlight: world.inFlight }),
      stop: () => undefined,
    },
    operator: { relay, problems, chainStatus, nodes: {}, metrics },
    settings: {
      broadcastWaitMs: 0,
      appCacheMs: 0,
      quoteCacheMs: 0,
      quoteBudgetMs: 5_000,
      maxQuoteDeviationBips: ANY_PRICE,
      rateLimitPerMinute: 1_000_000,
      ...settings,
    },
  })
  const url = await api.listen({ host: '127.0.0.1', port: 0 })

  return {
    url,
    server: api.server,
    databaseUrl: database.url,
    db,
    vault,
    appId,
    otherAppId,
    solver,
    secondSolver,
    chains,
    world,
    logged,
    pool: memory.parts.pool,
    async call(method, path, { body, raw, headers } = {}) {
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'service-app-id': appId, ...(content !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(content !== undefined && { body: content }),
      })
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
    },
    raw(path, headers) {
      return new Promise((resolve, reject) => {
        const { hostname, port } = new URL(url)
        const sent = httpRequest({ hostname, port, path, headers: { 'service-app-id': appId, ...headers } }, (response) => {
          response
            .toArray()
            .then((chunks) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }))
            .catch(reject)
        })
        sent.on('error', reject)
        sent.end()
      })
    },
    async mine(chain, { height, time }, events) {
      const block: Block = { height, hash: `${chain}-${height}`, parentHash: '', time }
      const placed = events.map((event) => ({ ...event, block: { height, hash: block.hash, time } }))
      const after = await readCursor(db, chain)
      await recordPoll(db, { chain, after, blocks: [block], events: placed, unconfirmed: [] })
    },
    async signFill({ id, source, destination }) {
      const { amount } = destination.terms
      const fill = { deposits: [source.swapId], blockHash: '', destinationAmount: amount }
      await recordOwnFill(db, id, fill, { amount, swapId: destination.swapId }, '00')
    },
    async countRows() {
      const tables = ['orders', 'swaps', 'sealed_values', 'grants', 'fills', 'refund_proposals', 'actions', 'events'] as const
      const counts = await Promise.all(
        tables.map(async (table) => {
          const { count } = await db
            .selectFrom(table)
            .select((eb) => eb.fn.countAll<bigint>().as('count'))
            .executeTakeFirstOrThrow()
          return [table, Number(count)] as const
        }),
      )
      return Object.fromEntries(counts)
    },
    forget: memory.forget,
    reset() {
      Object.assign(world, initialWorld())
      logged.length = 0
      memory.forget()
      for (const chain of chains.values()) Object.assign(chain, { failure: null, fee: 0n, checkRecipient: undefined })
      for (const fake of [solver, secondSolver]) fake.reset()
    },
    async close() {
      await api.close()
      await Promise.all([solver.close(), secondSolver.close()])
      await db.destroy()
      await database.drop()
    },
  }
}

function createMemory(createPool: () => SolverPool) {
  let pool = createPool()
  let auctions = createRecentAuctions()
  return {
    parts: {
      pool: {
        get members() {
          return pool.members
        },
        find: (id) => pool.find(id),
        named: (id) => pool.named(id),
        toAsk: () => pool.toAsk(),
        reliabilityOf: (id) => pool.reliabilityOf(id),
        recordRefusal: (...args) => pool.recordRefusal(...args),
        recordShort: (...args) => pool.recordShort(...args),
        recordUse: (...args) => pool.recordUse(...args),
        isUsed: (...args) => pool.isUsed(...args),
        recordFunded: (...args) => pool.recordFunded(...args),
      } satisfies SolverPool,
      recentAuctions: {
        remember: (...args) => auctions.remember(...args),
        find: (...args) => auctions.find(...args),
      } satisfies RecentAuctions,
    },
    forget() {
      pool = createPool()
      auctions = createRecentAuctions()
    },
  }
}

export function eventsOf({ swapId, terms }: Swap) {
  const sighting = { swapId, index: 'log:0', block: null, deposit: swapId }
  return {
    initiated: (tx: string, amount = terms.amount): HtlcEvent => ({ ...sighting, tx, kind: 'initiated', amount, expiresAt: null }),
    redeemed: (tx: string, secret: string, paid: bigint | null = null): HtlcEvent => ({
      ...sighting,
      tx,
      kind: 'redeemed',
      secret,
      ...(paid !== null && { paid }),
    }),
    refunded: (tx: string, paid: bigint | null = null): HtlcEvent => ({
      ...sighting,
      tx,
      kind: 'refunded',
      secret: null,
      ...(paid !== null && { paid }),
    }),
  }
}

export function orderBody(from: string, to: string) {
  const owner = (asset: string, account: string) => (asset === btc ? aliceScript : account)
  return {
    source: { asset: from, owner: owner(from, alice), amount: '1000000' },
    destination: { asset: to, owner: owner(to, bob), amount: '990000' },
  }
}
