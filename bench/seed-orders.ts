/** A database is filled with a year of orders: most are complete, some are open, one customer has very many. */

import { familyNamed } from '@tandem/families/index.ts'
import { environments } from '@tandem/families/registry.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { fillLedger } from '@tandem/party/store/ledger/ledger.ts'
import { recountOrders } from '@tandem/party/store/order-list/order-counts.ts'
import { trustList } from '@tandem/party/store/order-list/order-list.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { EnvironmentName } from '@tandem/protocol/registry/environment.ts'
import { CompiledQuery } from 'kysely'

export type Seed = {
  readonly orders: number
  readonly environment: EnvironmentName
  /** The newest order was made at this time, in Unix seconds. */
  readonly now: bigint
  /** The first app makes nineteen of twenty orders. */
  readonly apps: readonly [string, string, ...string[]]
  /** All orders are closed, whatever their status. */
  readonly allClosed?: true
  /** This fills the same tables with more, while they have neither indexes nor triggers. */
  readonly more?: (run: (text: string) => Promise<unknown>) => Promise<void>
}

/** One order in fifty has this address as both owners. */
const BUSY_OWNER = `0x${'b5'.repeat(20)}`

const BATCH = 100_000
const SOLVERS = ['first', 'second', 'third']
const UNDER_WAY = ['created', 'initiate_detected', 'initiated', 'counterparty_initiated', 'redeem_detected', 'redeemed', 'expired']

const CLOSED = ['counterparty_redeemed', 'expired', 'refunded']

const textArray = (values: readonly string[]) => `array[${values.map((value) => `'${value}'`).join(', ')}]`
/** The result is 64 hex characters, the same for the same input. */
const hash = (words: string) => `md5('${words} ' || n) || md5(n || ' ${words}')`

/** The families of the chains are built in. */
function seededChains(environment: EnvironmentName): readonly ChainId[] {
  return environments[environment].chains.filter(({ family }) => familyNamed(family) !== undefined).map(({ id }) => id)
}

/** Each order has one row, from which all tables are filled. Every choice is a hash of the row's number. */
function seededRows(seed: Seed, from: number): string {
  const ids = seededChains(seed.environment)
  const { assets } = environments[seed.environment]
  const chainIds = textArray(ids)
  const assetIds = textArray(ids.map((chain) => assets.find((asset) => asset.chain === chain)?.id ?? `${chain}:none`))
  const [most, ...others] = seed.apps
  // The number is squared, so that the first chains of the list are used most.
  const chain = (random: string) => `(power(${random} % 1000 / 1000.0, 2) * ${ids.length})::int % ${ids.length}`
  const owner = (random: string) =>
    `case when r3 % 50 = 0 then '${BUSY_OWNER}' else '0x' || substr(md5('owner ' || ${random} / 50 % 200000), 1, 32) || '00000000' end`
  return `
    select n, ${hash('order')} as id, ${hash('secret hash')} as secret_hash, ${seed.now} - (${seed.orders} - n) * 30 as created_at,
      case when r1 / 1000 % 20 < 19 then '${most}' else (${textArray(others)})[1 + r1 / 20000 % ${others.length}] end as app,
      (${textArray(SOLVERS)})[1 + r4 % ${SOLVERS.length}] as solver_id,
      (${chainIds})[1 + f] as from_chain, (${assetIds})[1 + f] as from_asset,
      (${chainIds})[1 + t] as to_chain, (${assetIds})[1 + t] as to_asset, ${owner('r3')} as from_owner, ${owner('r4')} as to_owner,
      case
        when n > ${seed.orders - 2000} then (${textArray(UNDER_WAY)})[1 + r2 / 1000 % ${UNDER_WAY.length}]
        when r2 / 1000 % 1000 < 700 then 'counterparty_redeemed'
        when r2 / 1000 % 1000 < 920 then 'expired'
        when r2 / 1000 % 1000 < 999 then 'refunded'
        else 'awaiting_refund'
      end as status,
      10000 + r4 % 90000000 as amount
    from (select *, case when same = f then (f + 1) % ${ids.length} else same end as t from (
      select *, ${chain('r1')} as f, ${chain('r2')} as same from (
        select n, abs(hashint8(n)::bigint) as r1, abs(hashint8(n + 10000000)::bigint) as r2,
          abs(hashint8(n + 20000000)::bigint) as r3, abs(hashint8(n + 30000000)::bigint) as r4
        from generate_series(${from + 1}, ${Math.min(from + BATCH, seed.orders)}) as n
      ) as random
    ) as chosen) as placed`
}

const isClosed = ({ allClosed }: Seed) => (allClosed ? 'true' : `status = any(${textArray(CLOSED)})`)

const insertSwaps = (seed: Seed, leg: 'source' | 'destination', prefix: 'from' | 'to') => `
  insert into swaps (
    order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, required_confirmations, asset_price,
    open
  ) select id, '${leg}', ${prefix}_chain, ${prefix}_asset, ${hash(leg)}, from_owner, to_owner, amount, amount, secret_hash, 7200, 1, 6000000000000,
    not ${isClosed(seed)}
  from seeded`

/** One completed order in four has rows. */
const insertEvents = (leg: 'source' | 'destination', prefix: 'from' | 'to', kind: 'initiated' | 'redeemed') => `
  insert into events (chain, tx, index, swap_id, kind, deposit, amount, secret, block_height, block_hash, block_time)
  select ${prefix}_chain, '0x' || ${hash(`${leg} ${kind}`)}, 'log:0', ${hash(leg)}, '${kind}', '${leg} ' || n,
    ${kind === 'initiated' ? 'amount, null' : `null, ${hash('secret')}`}, n, md5('block ' || n), created_at + 60
  from seeded where n % 4 = 0 and status = 'counterparty_redeemed'`

const TABLES = `'orders', 'swaps', 'events', 'order_list'`

const fill = (seed: Seed) => [
  `insert into orders (
    id, seq, app, solver_id, nonce, source_owner, destination_owner, secret_hash, created_at, deadline, price_expires_at, closed_at
  ) overriding system value select id, n, app, solver_id, n, from_owner, to_owner, secret_hash, to_timestamp(created_at), created_at + 3600, created_at + 600,
    case when ${isClosed(seed)} then to_timestamp(created_at + 7200) end from seeded`,
  insertSwaps(seed, 'source', 'from'),
  insertSwaps(seed, 'destination', 'to'),
  insertEvents('source', 'from', 'initiated'),
  insertEvents('destination', 'to', 'initiated'),
  insertEvents('destination', 'to', 'redeemed'),
  insertEvents('source', 'from', 'redeemed'),
  `insert into order_list select n, id, app, solver_id, from_chain, to_chain, from_owner, to_owner, status, created_at + 3600, created_at,
    amount * 600, amount * 2 from seeded`,
]

/** Foreign keys, then the keys that they refer to, then the other indexes: dropped in this order, created in the reverse order. */
const LATER = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
  from (
    select * from pg_constraint where contype in ('f', 'p', 'u')
      and (conrelid::regclass::text in (${TABLES}) or confrelid::regclass::text in (${TABLES})) order by contype <> 'f'
  ) as constraints
  union all
  select format('drop index %I', indexname), indexdef from pg_indexes
  where tablename in (${TABLES}) and indexname not in (select conname from pg_constraint)`

export async function seedOrders(db: Database, seed: Seed, onProgress: (what: string) => void): Promise<void> {
  const count = seed.orders.toLocaleString('en-US')
  await db.connection().execute(async (connection) => {
    const run = async <Row>(text: string) => (await connection.executeQuery<Row>(CompiledQuery.raw(text))).rows
    // Creating indexes, checks and counters once at the end is much cheaper than updating them row by row.
    const later = await run<{ drop: string; make: string }>(LATER)
    for (const { drop } of later) await run(drop)
    for (const table of ['order_list', 'events']) await run(`alter table ${table} disable trigger user`)
    for (let from = 0; from < seed.orders; from += BATCH) {
      onProgress(`seeding orders, ${from.toLocaleString('en-US')} of ${count}`)
      await run('begin')
      await run(`create temporary table seeded on commit drop as ${seededRows(seed, from)}`)
      for (const text of fill(seed)) await run(text)
      await run('commit')
    }
    await run(`select setval(pg_get_serial_sequence('orders', 'seq'), ${seed.orders})`)
    await seed.more?.(run)
    await run(`set maintenance_work_mem = '512MB'`)
    for (const { make } of later.toReversed()) {
      onProgress(make)
      await run(make)
    }
    await run(
      `insert into blocks (chain, height, hash, parent_hash, time)
      select chain, ${seed.orders} + n, 'block ' || n, 'block ' || n - 1, ${seed.now} - 256 + n
      from (select distinct chain from swaps) as used, generate_series(1, 256) as n`,
    )
    for (const table of ['order_list', 'events']) await run(`alter table ${table} enable trigger user`)
    onProgress('counting')
    await fillLedger(db)
    await recountOrders(db)
    // The list agrees with the orders. An engine of a service would derive each of them to build it again.
    await trustList(db)
    onProgress('vacuuming')
    const tables = ['orders', 'swaps', 'events', 'order_list', 'order_counts', 'order_volumes', 'ledger', 'blocks', 'touched_orders']
    for (const table of tables) await run(`vacuum analyze ${table}`)
  })
}
