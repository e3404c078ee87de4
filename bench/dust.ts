/** Measures what dust costs the solver: quotes while very many orders are dusted, and polls and reconciling while one address is flooded. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { createMemoryChain, type MemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { reconcile } from '@tandem/party/engine/reconciler.ts'
import { createWatchList } from '@tandem/party/engine/watch-list.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { createQuoteWriter } from '@tandem/party/store/solver/quotes.ts'
import { NOW, putOrder } from '@tandem/party/store/store.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { createInventory } from '@tandem/solver/inventory.ts'
import { createStockReader } from '@tandem/solver/pricing/stock.ts'
import { type QuoteContext, quote } from '@tandem/solver/quotes.ts'
import { testRisk } from '@tandem/solver/risk/risk.fixture.ts'
import { createSoftReservations } from '@tandem/solver/soft-reservations.ts'
import { sql } from 'kysely'
import { type Bench, median, percentile, ratio, type Size, withCommas } from './bench.ts'

const QUOTE_RATIO_LIMIT = 1.5
const POLL_LIMIT_MS = 250
const DUSTED = { full: [1, 1_000, 100_000], smallest: [1, 100] }
const OUTPUTS = { full: 20_000, smallest: 400 }
const QUOTES_PER_ROUND = { full: 50, smallest: 2 }
const ROUNDS = { full: 10, smallest: 1 }

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'
const DUST = 546n
const CALLER = { service: 'a service', assertInTime: () => undefined }

type Row = {
  readonly what: string
  readonly size: number
  readonly cpuMs: number
  readonly wallMs: number
  readonly limit: number
  readonly ratio: string
  readonly ok: boolean
}

type Cost = { readonly cpuMs: number; readonly wallMs: number }

type Solver = { readonly db: Database; readonly bitcoin: MemoryChain; readonly ethereum: MemoryChain; readonly context: QuoteContext }

async function measureDust(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-dust-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    onProgress('starting the database')
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
    cleanups.push(postgres.stop)
    const open = async (name: string) => {
      const solver = await openSolver(postgres, name)
      cleanups.push(() => solver.db.destroy())
      return solver
    }
    const quotes = await measureQuotes(size, open, onProgress)
    const flooded = await measureFlood(OUTPUTS[size], await open('flood'), onProgress)
    return [...quotes, ...flooded]
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

async function openSolver(postgres: EmbeddedPostgres, name: string): Promise<Solver> {
  const db = await openDatabase(await postgres.createDatabase(name))
  const [bitcoin, ethereum] = [createMemoryChain('bitcoin_regtest', NOW), createMemoryChain('ethereum_localnet', NOW)]
  const clients = new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
  const registry = createRegistry({
    chains: localChains,
    assets: localAssets,
    deployments: { [BTC]: { htlc: null, token: null }, [WBTC]: { htlc: '0x01', token: '0x02' } },
    served: new Set(clients.keys()),
  })
  const key = createKey('secp256k1', '22'.repeat(32))
  ethereum.balances[`${WBTC} ${ethereum.addressOf(key)}`] = 10n ** 12n
  const now = () => NOW
  const inventory = createInventory({ db, registry, clients, keys: createKeyring([key]), now, keepMs: 0 })
  const price = 60_000n * 10n ** 8n
  const pricing = {
    prices: createStaticFeed({ [BTC]: price, [WBTC]: price }),
    spreadBips: 30,
    fixedFeeUsdMicros: 0n,
    quoteSeconds: 60n,
    priceHoldSeconds: 600n,
    priceToleranceBips: 200,
    volatilityPercent: 40n,
    networkCostPercent: 100n,
    inventorySkewBips: 0,
    inventoryTargets: {},
    feeReserves: {},
  }
  return {
    db,
    bitcoin,
    ethereum,
    context: {
      db,
      quoteWriter: createQuoteWriter(db),
      registry,
      inventory,
      risk: testRisk(now),
      soft: createSoftReservations(now),
      pricing,
      stockOf: createStockReader(inventory, {}),
      legCosts: { find: async () => null, highest: async () => null, warm: async () => undefined, coinsFor: () => 0n },
      solverId: 'bench',
      now,
    },
  }
}

/** Interleaved, so that a change in the machine's load affects all alike. */
async function measureQuotes(
  size: Size,
  open: (name: string) => Promise<Solver>,
  onProgress: (what: string) => void,
): Promise<readonly Row[]> {
  const cases: { readonly dusted: number; readonly solver: Solver; readonly costs: Cost[] }[] = []
  for (const dusted of DUSTED[size]) {
    onProgress(`making ${withCommas(dusted)} dusted orders`)
    const solver = await open(`dusted_${dusted}`)
    await watchBoth(solver)
    await seedDusted(solver.db, dusted)
    cases.push({ dusted, solver, costs: [] })
  }
  for (let round = 0; round <= ROUNDS[size]; round += 1) {
    onProgress(`quotes, round ${round} of ${ROUNDS[size]}`)
    for (const { solver, costs } of cases) {
      for (let n = 0; n < QUOTES_PER_ROUND[size]; n += 1) {
        const cost = await costOf(() =>
          quote(solver.context, { from: BTC, to: WBTC, from_amount: '1000000', extra_fee_bips: 0, indicative: false }, CALLER),
        )
        // The first round warms up.
        if (round > 0) costs.push(cost)
      }
    }
  }
  const costs = cases.map(({ dusted, costs }) => ({ dusted, ...middle(costs) }))
  const least = Math.min(...costs.map(({ wallMs }) => wallMs))
  return costs.map(({ dusted, cpuMs, wallMs }) => ({
    what: 'quote, so many orders open and dusted',
    size: dusted,
    cpuMs,
    wallMs,
    limit: least * QUOTE_RATIO_LIMIT,
    ratio: ratio(wallMs, least),
    ok: wallMs <= least * QUOTE_RATIO_LIMIT,
  }))
}

/** Each with one mined output of dust to its address. */
async function seedDusted(db: Database, count: number): Promise<void> {
  await sql`
    insert into orders (id, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, price_expires_at)
    select 'order ' || n, 'bench', n, 'a', 'b', 'hash ' || n, ${NOW + 3600n}::bigint, ${NOW + 3600n}::bigint
    from generate_series(1, ${count}::integer) as n`.execute(db)
  await sql`
    insert into swaps (order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, required_confirmations)
    select 'order ' || n, leg, chain, asset, leg || n, 'a', 'b', 1000000, 1000000, 'hash ' || n, 200, 1
    from generate_series(1, ${count}::integer) as n,
      (values ('source', 'bitcoin_regtest', ${BTC}), ('destination', 'ethereum_localnet', ${WBTC})) as legs (leg, chain, asset)`.execute(db)
  await sql`
    insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
    select 'bitcoin_regtest', 'dust ' || n, 'out:0', 'source' || n, 'initiated', 'dust ' || n || ':0', ${DUST}::numeric, 1000, 'b', ${NOW}::bigint
    from generate_series(1, ${count}::integer) as n`.execute(db)
  await sql`analyze`.execute(db)
}

async function measureFlood(outputs: number, solver: Solver, onProgress: (what: string) => void): Promise<readonly Row[]> {
  const { db, bitcoin } = solver
  const { order } = await putOrder(db)
  const list = createWatchList(db, bitcoin.chain)
  const poll = () => pollChain({ db, client: bitcoin, holder: 'bench', list, onReorg: () => undefined })
  await watchBoth(solver)
  await poll()
  onProgress(`${withCommas(outputs)} unconfirmed outputs to one address`)
  bitcoin.mempool = dustTo(order, outputs)
  await poll()
  const unconfirmed = await medianCost(poll)
  onProgress(`${withCommas(outputs)} mined outputs to one address`)
  bitcoin.mempool = []
  bitcoin.mine(...dustTo(order, outputs))
  const mined = await costOf(poll)
  const after = await medianCost(poll)
  const reconciled = await medianCost(async () => {
    await sql`insert into touched_orders (order_id) values (${order.id})`.execute(db)
    await reconcile({ db, registry: solver.context.registry, party: { role: 'solver' } }, NOW)
  })
  const row = (what: string, cost: Cost, limit: number): Row => ({
    what,
    size: outputs,
    ...cost,
    limit,
    ratio: ratio(cost.cpuMs, limit),
    ok: cost.cpuMs <= limit,
  })
  return [
    row('poll, so many unconfirmed outputs to one address', unconfirmed, POLL_LIMIT_MS),
    row('poll that finds so many mined outputs to one address', mined, 10 * POLL_LIMIT_MS),
    row('poll after that', after, POLL_LIMIT_MS),
    row('reconcile that order', reconciled, POLL_LIMIT_MS),
  ]
}

function dustTo({ source }: Order, outputs: number): HtlcEvent[] {
  return Array.from({ length: outputs }, (_, n) => ({
    swapId: source.swapId,
    tx: `dust ${n}`,
    index: 'out:0',
    deposit: `dust ${n}:0`,
    block: null,
    kind: 'initiated',
    amount: DUST,
    expiresAt: null,
  }))
}

async function watchBoth({ db, bitcoin, ethereum }: Solver): Promise<void> {
  for (const client of [bitcoin, ethereum]) await pollChain({ db, client, holder: 'bench', onReorg: () => undefined })
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt }
}

async function medianCost(work: () => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = []
  for (let n = 0; n < 5; n += 1) costs.push(await costOf(work))
  return { cpuMs: median(costs.map(({ cpuMs }) => cpuMs)), wallMs: median(costs.map(({ wallMs }) => wallMs)) }
}

/** The fastest quarter: other work on the machine makes single quotes slower, never faster. */
function middle(costs: readonly Cost[]): Cost {
  return {
    cpuMs: percentile(
      costs.map(({ cpuMs }) => cpuMs),
      25,
    ),
    wallMs: percentile(
      costs.map(({ wallMs }) => wallMs),
      25,
    ),
  }
}

export const dustBench: Bench = {
  name: 'dust',
  about: `quotes with up to ${withCommas(100_000)} dusted orders, and ${withCommas(OUTPUTS.full)} outputs to one address`,
  conditions:
    "The solver's own code on embedded PostgreSQL, with chains simulated in memory, in one process. Quotes: 25th percentile of 500, the sizes in turn, time until the answer; all within 1.5 of the fastest. Polls and reconciling: processor time of the process, database server excluded, median of 5; the poll that records all outputs once.",
  async run({ size, onProgress }) {
    const rows = await measureDust(size, onProgress)
    return {
      ok: rows.every(({ ok }) => ok),
      table: {
        columns: ['what', 'size', 'CPU ms', 'ms', 'limit ms', 'ratio'],
        rows: rows.map((row) => [row.what, row.size, row.cpuMs.toFixed(2), row.wallMs.toFixed(2), row.limit.toFixed(2), row.ratio]),
      },
    }
  },
}
