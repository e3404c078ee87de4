/** Measures the processor time of watching one full block, and the mempool, for as many orders as a busy service has in a year. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bitcoin } from '@tandem/bitcoin/server/index.ts'
import { startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { createWatchList } from '@tandem/party/engine/watch-list.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { sql } from 'kysely'
import { type Child, startChild } from './api/child.ts'
import { type Bench, median, ratio, type Size, withCommas } from './bench.ts'
import { seedWatched, watchedChain } from './seed-watched.ts'
import { BLOCK_TRANSACTIONS, FRESH_TRANSACTIONS, MEMPOOL_TRANSACTIONS } from './watch.fixture.ts'
import type { NodeInput, Shown } from './watch-node-child.ts'

const WATCH_LIMIT_MS = 250
const WATCHED = { full: [1_000, 100_000], smallest: [1_000] }

type WatchRow = { readonly what: 'block' | 'mempool'; readonly watched: number; readonly cpuMs: number; readonly events: number }

const WARM_UP = { full: 2, smallest: 0 }
const MEASURED = { full: 5, smallest: 1 }

type Node = Child<{ readonly url: string }>

async function measureWatch(size: Size, onProgress: (what: string) => void): Promise<WatchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-watch-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const rounds = { size, warmUp: WARM_UP[size], all: WARM_UP[size] + MEASURED[size] }
  try {
    onProgress('making blocks')
    const mempool = MEMPOOL_TRANSACTIONS[size] + rounds.all * FRESH_TRANSACTIONS
    const node: Node = await startChild('../watch-node-child.ts', { fullBlocks: rounds.all, mempool, size } satisfies NodeInput)
    cleanups.push(node.stop)
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
    cleanups.push(postgres.stop)
    const rows: WatchRow[] = []
    for (const watched of WATCHED[size]) {
      const db = await openDatabase(await postgres.createDatabase(`watch_${watched}`))
      cleanups.push(() => db.destroy())
      onProgress(`making ${watched} orders`)
      await seedWatched(db, watched)
      onProgress(`watching ${watched} addresses`)
      rows.push(...(await measure(db, node, watched, rounds)))
    }
    return rows
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

type Rounds = { readonly size: Size; readonly warmUp: number; readonly all: number }

async function measure(db: Database, node: Node, watched: number, rounds: Rounds): Promise<readonly WatchRow[]> {
  const { size } = rounds
  const client = bitcoin.connect(watchedChain(), { assets: [], endpoints: { rpc: [node.ready.url] } })
  const list = createWatchList(db, client.chain)
  const look = () => pollChain({ db, client, holder: 'bench', list, onReorg: () => undefined })
  const measureLooks = async (what: WatchRow['what'], shownAt: (round: number) => Shown): Promise<WatchRow> => {
    const before = await countEvents(db)
    const spent: number[] = []
    for (let round = 1; round <= rounds.all; round++) {
      await node.ask(shownAt(round))
      const { user, system } = process.cpuUsage()
      await look()
      const used = process.cpuUsage({ user, system })
      if (round > rounds.warmUp) spent.push((used.user + used.system) / 1000)
    }
    return { what, watched, cpuMs: median(spent), events: (await countEvents(db)) - before }
  }
  await node.ask({ fullBlocks: 0, mempool: 0 } satisfies Shown)
  await look()
  const block = await measureLooks('block', (round) => ({ fullBlocks: round, mempool: 0 }))
  const fullBlocks = rounds.all
  await node.ask({ fullBlocks, mempool: MEMPOOL_TRANSACTIONS[size] } satisfies Shown)
  await look()
  const mempool = await measureLooks('mempool', (round) => ({
    fullBlocks,
    mempool: MEMPOOL_TRANSACTIONS[size] + round * FRESH_TRANSACTIONS,
  }))
  await client.close()
  return [block, mempool]
}

async function countEvents(db: Database): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select count(*) from events`.execute(db)
  return Number(rows[0]?.count ?? 0n)
}

export const watchBench: Bench = {
  name: 'watch',
  about: `processor time of watching ${WATCHED.full.map(withCommas).join(' or ')} addresses through a block of ${withCommas(BLOCK_TRANSACTIONS.full)} transactions, limit ${WATCH_LIMIT_MS} ms`,
  conditions: `The watcher with its real client against PostgreSQL and a node simulated in another process; nine of ten orders are finished. User and system time of the watching process for one look, database and HTTP included; median of 5 after 2 to warm up. Block: ${withCommas(BLOCK_TRANSACTIONS.full)} transactions, 2 inputs and 2.5 outputs each, every second output taproot, 5 deposits and 2 spends among them. Mempool: no new block, ${withCommas(MEMPOOL_TRANSACTIONS.full)} transactions of which ${FRESH_TRANSACTIONS} are new.`,
  async run({ size, onProgress }) {
    const rows = await measureWatch(size, onProgress)
    return {
      ok: rows.every((row) => row.cpuMs < WATCH_LIMIT_MS),
      table: {
        columns: ['look', 'addresses watched', 'CPU ms', 'limit ms', 'ratio', 'events found'],
        rows: rows.map((row) => [
          row.what,
          row.watched,
          Number(row.cpuMs.toFixed(1)),
          WATCH_LIMIT_MS,
          ratio(row.cpuMs, WATCH_LIMIT_MS),
          row.events,
        ]),
      },
    }
  },
}
