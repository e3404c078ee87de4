/** Every story has this fixture: a local stack of its own, and a user who swaps through the public interface only. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinRegtest } from '@tandem/bitcoin/local/index.ts'
import { bitcoinLocal } from '@tandem/bitcoin/local/local.ts'
import type { BitcoinWallet } from '@tandem/bitcoin/local/wallet.ts'
import type { EvmChain } from '@tandem/evm/local/evm-chain.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import type { EvmWallet } from '@tandem/evm/local/wallet.ts'
import type { SolverCount } from '@tandem/local/local-prices.ts'
import { type LocalStack, type LocalStackOptions, startLocalStack } from '@tandem/local/stack.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { touchOrders } from '@tandem/party/store/orders/touched-orders.ts'
import { putHalt, removeHalts } from '@tandem/party/store/solver/halts.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { CALM } from '@tandem/service/api/load/calm.fixture.ts'
import { sql } from 'kysely'
import { afterAll } from 'vitest'
import type { CreatedOrder, OrderRequest } from '../../demo/client/api-client.ts'
import { chainOf, createLocalClient, type LocalClient } from '../../demo/client/local-client.ts'
import { createTestDatabase } from '../database.ts'

type Party = 'service' | 'solver'

// biome-ignore lint/suspicious/noExplicitAny: stories set whatever they need, and the loader checks it
type PartyConfig = Record<string, any>

export interface Story extends LocalClient {
  readonly stack: LocalStack
  readonly databaseUrls: readonly string[]
  bitcoin(chain?: string): BitcoinWallet
  evm(chain: string): EvmWallet
  bitcoinChain(): BitcoinRegtest
  evmChain(chain: string): EvmChain
  /** `more` are other fields of the request. */
  order(from: string, to: string, fromAmount: bigint, more?: Partial<OrderRequest>): Promise<CreatedOrder>
  approve(asset: string): Promise<void>
  restart(party: Party, change?: (config: PartyConfig) => void): Promise<void>
  /** Polls the public record until it is true; after the timeout throws with the record. */
  until(orderId: string, what: string, isTrue: (order: OrderRecord) => boolean): Promise<OrderRecord>
  untilStatus(orderId: string, ...statuses: readonly string[]): Promise<OrderRecord>
  secretSigned(orderId: string): Promise<boolean>
  isFillSigned(orderId: string): Promise<boolean>
  /** The service waits for this many confirmations of the destination before it redeems. */
  waitFor(orderId: string, confirmations: number): Promise<void>
  /** The party has nothing left to do or watch. */
  isClosed(party: Party, orderId: string): Promise<boolean>
  /** The keys are like `redeem destination`, the values hashes. */
  signed(party: Party, orderId: string): Promise<ReadonlyMap<string, readonly string[]>>
  /** Resolves to the error of the party's newest attempt to initiate the destination, or to null if it did not fail. */
  errorOf(party: Party, orderId: string): Promise<string | null>
  /** The events are mined: `destination initiated`, `source redeemed`, … */
  seen(party: Party, orderId: string): Promise<ReadonlySet<string>>
  /** An example is `untilSeen('solver', id, 'destination initiated')`. */
  untilSeen(party: Party, orderId: string, what: string): Promise<void>
  /** An example of an action is `redeem destination`. */
  untilSigned(party: Party, orderId: string, action: string): Promise<void>
  eventually(what: string, isTrue: () => Promise<boolean>): Promise<void>
  /** The parties' own clocks move, not only a chain's: actions that are due at least `fromSeconds` from now are due at once. */
  makeDue(fromSeconds?: number): Promise<void>
  /** A halted solver pays for nothing new. */
  haltSolver(reason: string): Promise<void>
  resumeSolver(): Promise<void>
  passTime(chain: string, seconds: number): Promise<void>
  close(): Promise<void>
}

const TIMEOUT_MS = 220_000

export type StoryOptions = {
  /** The story needs these chains and no more, because each takes time to start. */
  readonly chains: readonly string[]
  /** These chains run already; the story closes them. */
  readonly runningChains?: NonNullable<LocalStackOptions['runningChains']>
  /** Both parties get these chains and assets beside those of the registry. */
  readonly registry?: NonNullable<LocalStackOptions['registry']>
  readonly solvers?: SolverCount
  /** The solver waits this long for a cheaper redeem. The default is 0. */
  readonly redeemWaitSeconds?: number
  /** The engine of the service is a process of its own. The default is false. */
  readonly split?: boolean
  /** Prices move with these settings. By default they are fixed. */
  readonly livePrices?: NonNullable<LocalStackOptions['livePrices']>
}

/** The story is opened at the top of a test file, and closed after its tests. */
export async function tellStory(...chains: readonly string[]): Promise<Story> {
  const story = await openStory({ chains })
  afterAll(() => story.close())
  return story
}

/** On a busy machine an answer may take longer than the budget of a service. */
const QUOTE_BUDGET_MS = 5_000

export async function openStory({ redeemWaitSeconds = 0, solvers = 1, ...options }: StoryOptions): Promise<Story> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-story-'))
  const [serviceDatabase, solverDatabase, ...otherDatabases] = await Promise.all([
    createTestDatabase(),
    createTestDatabase(),
    ...Array.from({ length: solvers - 1 }, () => createTestDatabase()),
  ])
  const solverUrls = [solverDatabase, ...otherDatabases].map(({ url }) => url)
  const log = createLogger({ name: 'story', level: process.env.TANDEM_STORY_LOG === undefined ? 'silent' : 'info' })
  const stack = await startLocalStack({
    folder,
    port: 0,
    log,
    mining: 'instant',
    redeemWaitSeconds,
    solvers,
    quoteBudgetMs: QUOTE_BUDGET_MS,
    load: CALM,
    ...options,
    databases: { serviceUrl: serviceDatabase.url, solverUrls, close: async () => undefined },
  })
  const databases = { service: await openDatabase(serviceDatabase.url), solver: await openDatabase(solverDatabase.url) }
  const client = createLocalClient(stack.info)
  const { api, ownerOf } = client
  const evmChain = (chain: string) => stack.network.control(chain, evmLocal)

  async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + TIMEOUT_MS
    while (!(await isTrue())) {
      if (Date.now() > end) throw new Error(`timeout while waiting for ${what}`)
      await sleep(50)
    }
  }

  async function until(orderId: string, what: string, isTrue: (order: OrderRecord) => boolean): Promise<OrderRecord> {
    const end = Date.now() + TIMEOUT_MS
    for (;;) {
      const order = (await api.order(orderId)) as OrderRecord
      if (isTrue(order)) return order
      if (Date.now() > end) throw new Error(`timeout while waiting for ${what}; the order is ${JSON.stringify(order, null, 2)}`)
      await sleep(50)
    }
  }

  async function seen(party: Party, orderId: string) {
    const rows = await databases[party]
      .selectFrom('events')
      .innerJoin('swaps', (join) => join.onRef('swaps.chain', '=', 'events.chain').onRef('swaps.swap_id', '=', 'events.swap_id'))
      .select(['swaps.leg', 'events.kind'])
      .where('swaps.order_id', '=', orderId)
      .where('events.block_height', 'is not', null)
      .execute()
    return new Set(rows.map(({ leg, kind }) => `${leg} ${kind}`))
  }

  async function signed(party: Party, orderId: string) {
    const rows = await databases[party]
      .selectFrom('attempts')
      .innerJoin('actions', 'actions.key', 'attempts.action_key')
      .select(['actions.verb', 'actions.leg', 'attempts.tx'])
      .where('actions.order_id', '=', orderId)
      .orderBy('attempts.number')
      .execute()
    const signed = new Map<string, string[]>()
    for (const { verb, leg, tx } of rows) signed.set(`${verb} ${leg}`, [...(signed.get(`${verb} ${leg}`) ?? []), tx])
    return signed
  }

  return {
    ...client,
    stack,
    databaseUrls: [serviceDatabase.url, solverDatabase.url],
    bitcoin: (chain = 'bitcoin_regtest') => client.wallet(chain, bitcoinLocal),
    evm: (chain) => client.wallet(chain, evmLocal),
    bitcoinChain: () => stack.network.control('bitcoin_regtest', bitcoinLocal),
    evmChain,
    async order(from, to, fromAmount, more = {}) {
      const quote = await api.quote({ from, to, from_amount: fromAmount.toString() })
      return api.createOrder({
        source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
        destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
        ...more,
      })
    },
    async approve(asset) {
      const { token, htlc } = client.contractsOf(asset)
      await client.wallet(chainOf(asset), evmLocal).approve(token, htlc, 2n ** 256n - 1n)
    },
    async restart(party, change) {
      const file = stack.configs[party === 'service' ? 'serviceFile' : 'solverFile']
      await stack[party].setRunning(false)
      const config = JSON.parse(await readFile(file, 'utf8'))
      change?.(config)
      await writeFile(file, JSON.stringify(config))
      await stack[party].setRunning(true)
    },
    until,
    untilStatus: (orderId, ...statuses) => until(orderId, statuses.join(' or '), (order) => statuses.includes(order.status)),
    eventually,
    async secretSigned(orderId) {
      return (await findOrder(databases.service, orderId))?.secretSigned ?? false
    },
    async isFillSigned(orderId) {
      return (await findOrder(databases.solver, orderId))?.fill != null
    },
    async waitFor(orderId, confirmations) {
      await databases.service
        .updateTable('swaps')
        .set({ required_confirmations: confirmations })
        .where('order_id', '=', orderId)
        .where('leg', '=', 'destination')
        .execute()
      // Terms never change otherwise, so nothing marks the order as dirty.
      await touchOrders(databases.service, [orderId])
    },
    async isClosed(party, orderId) {
      return (await findOrder(databases[party], orderId))?.closed ?? false
    },
    async errorOf(party, orderId) {
      const key = actionKey(orderId, 'destination', 'initiate')
      const action = await databases[party].selectFrom('actions').select('last_error').where('key', '=', key).executeTakeFirst()
      return action?.last_error ?? null
    },
    seen,
    untilSeen: (party, orderId, what) => eventually(`the ${party} to see: ${what}`, async () => (await seen(party, orderId)).has(what)),
    signed,
    untilSigned: (party, orderId, action) =>
      eventually(`the ${party} to sign: ${action}`, async () => (await signed(party, orderId)).has(action)),
    async makeDue(fromSeconds = 60) {
      for (const db of Object.values(databases))
        await sql`update actions set due_at = now() where wanted and due_at > now() + make_interval(secs => ${fromSeconds})`.execute(db)
    },
    haltSolver: (reason) => putHalt(databases.solver, { scope: '*', cause: 'operator', reason }),
    async resumeSolver() {
      await removeHalts(databases.solver, '*')
    },
    async passTime(chain, seconds) {
      await evmChain(chain).request({ method: 'evm_increaseTime', params: [`0x${seconds.toString(16)}`] })
      await evmChain(chain).request({ method: 'evm_mine', params: [] })
    },
    async close() {
      await stack.stop()
      await Promise.all([databases.service.destroy(), databases.solver.destroy()])
      await Promise.all([serviceDatabase, solverDatabase, ...otherDatabases].map((database) => database.drop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
