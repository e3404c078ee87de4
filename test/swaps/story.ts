/** The fixture of every story: a local stack of its own, and a user who swaps through the public interface only. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinRegtest } from '@tandem/bitcoin/local/index.ts'
import { bitcoinLocal } from '@tandem/bitcoin/local/local.ts'
import type { BitcoinWallet } from '@tandem/bitcoin/local/wallet.ts'
import type { EvmChain } from '@tandem/evm/local/evm-chain.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import type { EvmWallet } from '@tandem/evm/local/wallet.ts'
import type { SolverCount } from '@tandem/local/local-solvers.ts'
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
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { createLocalClient, type LocalClient } from '../../demo/client/local-client.ts'
import { createTestDatabase } from '../database.ts'

type Party = 'service' | 'solver'

export interface Story extends LocalClient {
  readonly stack: LocalStack
  /** Of the service, and of the first solver. */
  readonly databaseUrls: readonly string[]
  /** The user's wallets. */
  bitcoin(chain?: string): BitcoinWallet
  evm(chain: string): EvmWallet
  /** The simulators. */
  bitcoinChain(): BitcoinRegtest
  evmChain(chain: string): EvmChain
  /** Quotes and creates an order of the user. */
  order(from: string, to: string, fromAmount: bigint): Promise<CreatedOrder>
  /** Polls the public record until it is true; after the timeout throws with the record. */
  until(orderId: string, what: string, isTrue: (order: OrderRecord) => boolean): Promise<OrderRecord>
  untilStatus(orderId: string, ...statuses: readonly string[]): Promise<OrderRecord>
  /** Has the service signed a redeem that contains the secret? */
  secretSigned(orderId: string): Promise<boolean>
  /** Has the solver signed the fill? */
  isFillSigned(orderId: string): Promise<boolean>
  /** Makes the service wait for this many confirmations of the destination before it redeems. */
  waitFor(orderId: string, confirmations: number): Promise<void>
  /** Has the party closed the order: nothing left to do or watch? */
  isClosed(party: Party, orderId: string): Promise<boolean>
  /** Transactions a party has signed for an order so far: `redeem destination` → hashes. */
  signed(party: Party, orderId: string): Promise<ReadonlyMap<string, readonly string[]>>
  /** Why a party's newest attempt at its initiation of the destination failed; null: it has not. */
  errorOf(party: Party, orderId: string): Promise<string | null>
  /** The mined events that a party has seen: `destination initiated`, `source redeemed`, … */
  seen(party: Party, orderId: string): Promise<ReadonlySet<string>>
  /** Waits for one of those: `untilSeen('solver', id, 'destination initiated')`. */
  untilSeen(party: Party, orderId: string, what: string): Promise<void>
  /** The same for what a party signs: `redeem destination`. */
  untilSigned(party: Party, orderId: string, action: string): Promise<void>
  /** Polls anything else until it is true. */
  eventually(what: string, isTrue: () => Promise<boolean>): Promise<void>
  /** As if the parties' own clocks had moved, not only a chain's: actions that wait for a time at least so far away are due now. */
  makeDue(fromSeconds?: number): Promise<void>
  /** As the solver's operator does it: from now on it pays for nothing new. */
  haltSolver(reason: string): Promise<void>
  resumeSolver(): Promise<void>
  /** Moves an EVM chain's clock. */
  passTime(chain: string, seconds: number): Promise<void>
  close(): Promise<void>
}

const TIMEOUT_MS = 150_000

export type StoryOptions = {
  /** Only the chains that the story needs: each takes time to start. */
  readonly chains: readonly string[]
  /** Chains that run already; the story closes them. */
  readonly runningChains?: NonNullable<LocalStackOptions['runningChains']>
  /** How many solvers compete. Default: 1. */
  readonly solvers?: SolverCount
  /** How long the solver waits for a cheaper redeem. Default: 0. */
  readonly redeemWaitSeconds?: number
  /** The engine of the service is a process of its own. Default: false. */
  readonly split?: boolean
  /** Prices move, with these settings. Default: they are fixed. */
  readonly livePrices?: NonNullable<LocalStackOptions['livePrices']>
}

/** For the top of a test file: a story that is closed after its tests. */
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
    async order(from, to, fromAmount) {
      const quote = await api.quote({ from, to, from_amount: fromAmount.toString() })
      return api.createOrder({
        source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
        destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
      })
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
      // Terms never change otherwise, so nothing marks the order.
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
