/** Measures a watcher over very many orders that were closed without a deposit: what each of them costs for the year in which a late one is still noticed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { sql } from 'kysely'
import { type Child, startChild } from './api/child.ts'
import { type Bench, median, ratio, type Size, withCommas } from './bench.ts'
import type { ClosedInput, LookCost, Memory } from './closed-child.ts'
import { seedClosed, seedWatched } from './seed-watched.ts'
import { BLOCK_TRANSACTIONS, FRESH_TRANSACTIONS, MEMPOOL_TRANSACTIONS } from './watch.fixture.ts'
import type { NodeInput, Shown } from './watch-node-child.ts'

const CLOSED = { full: [1, 100_000, 1_000_000], smallest: [1, 1_000] }
/** The same at every size: those that the blocks pay to. */
const WATCHED = 1_000
const WARM_UP = { full: 2, smallest: 1 }
const MEASURED = { full: 5, smallest: 1 }
/** The filter of ids is loaded meanwhile. */
const SETTLE_MS = { full: 10_000, smallest: 0 }

const MAX_CPU_RATIO = 1.5
/** More than with one order. A filter may take 4 MB. While it is loaded the young generation of the heap grows to its full size once, and V8 keeps that. */
const MAX_HELD_MB = 8
const MAX_RESIDENT_MB = 40

type Row = {
  readonly closed: number
  readonly blockMs: number
  readonly mempoolMs: number
  /** Of closed orders, too. */
  readonly events: number
  readonly heldMb: number
  readonly residentMb: number
}
type Node = Child<{ readonly url: string }>

async function measureClosed(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-closed-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const blocks = WARM_UP[size] + MEASURED[size]
  try {
    onProgress('making blocks')
    const mempool = MEMPOOL_TRANSACTIONS[size] + blocks * FRESH_TRANSACTIONS
    const node: Node = await startChild('../watch-node-child.ts', { fullBlocks: blocks, mempool, size } satisfies NodeInput)
    cleanups.push(node.stop)
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
    cleanups.push(postgres.stop)
    const rows: Row[] = []
    for (const closed of CLOSED[size]) {
      onProgress(`making ${withCommas(closed)} closed orders`)
      rows.push(await measure(await postgres.createDatabase(`closed_${closed}`), node, closed, size, onProgress))
    }
    return rows
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

async function measure(databaseUrl: string, node: Node, closed: number, size: Size, onProgress: (what: string) => void): Promise<Row> {
  const db = await openDatabase(databaseUrl)
  let watcher: Child<object> | null = null
  try {
    await seedWatched(db, WATCHED)
    await seedClosed(db, closed)
    onProgress(`watching for ${withCommas(closed)} closed orders`)
    const show = (shown: Shown) => node.ask(shown)
    await show({ fullBlocks: 0, mempool: 0 })
    const started = await startChild<object>('../closed-child.ts', { databaseUrl, nodeUrl: node.ready.url } satisfies ClosedInput)
    watcher = started
    const look = async () => (await started.ask<LookCost>('look')).cpuMs
    await look()
    const [blocks, mempools]: [number[], number[]] = [[], []]
    const all = WARM_UP[size] + MEASURED[size]
    for (let block = 1; block <= all; block += 1) {
      await show({ fullBlocks: block, mempool: 0 })
      blocks.push(await look())
      if (block === 1) await sleep(SETTLE_MS[size])
    }
    await show({ fullBlocks: all, mempool: MEMPOOL_TRANSACTIONS[size] })
    await look()
    for (let round = 1; round <= all; round += 1) {
      await show({ fullBlocks: all, mempool: MEMPOOL_TRANSACTIONS[size] + round * FRESH_TRANSACTIONS })
      mempools.push(await look())
    }
    const { rows } = await sql<{ count: bigint }>`select count(*) from events`.execute(db)
    const { held, resident } = await started.ask<Memory>('memory')
    return {
      closed,
      blockMs: median(blocks.slice(WARM_UP[size])),
      mempoolMs: median(mempools.slice(WARM_UP[size])),
      events: Number(rows[0]?.count ?? 0n),
      heldMb: held / 2 ** 20,
      residentMb: resident / 2 ** 20,
    }
  } finally {
    await watcher?.stop()
    await db.destroy()
  }
}

export const closedBench: Bench = {
  name: 'closed',
  about: `memory and processor time of a watcher over ${CLOSED.full.map(withCommas).join(', ')} orders that were closed unfunded`,
  conditions: `A watcher in a process of its own with its real client, PostgreSQL, and a simulated node, as in \`watch\`. The closed orders were never funded, and are noticed for a year: blocks and mempool also pay to 900 closed and 100 open orders, the same at every size, and all of these deposits must be found. CPU: user and system time of the watcher for one look, median of ${MEASURED.full} after ${WARM_UP.full}: a block of ${withCommas(BLOCK_TRANSACTIONS.full)} transactions, and a mempool of ${withCommas(MEMPOOL_TRANSACTIONS.full)} of which ${FRESH_TRANSACTIONS} are new. Memory: after a full collection, the heap with all buffers, and what is resident. Limits: ${MAX_CPU_RATIO} times the CPU, ${MAX_HELD_MB} MB and ${MAX_RESIDENT_MB} MB more than with one order.`,
  async run({ size, onProgress }) {
    const rows = await measureClosed(size, onProgress)
    const [first] = rows
    const isOk = (row: Row) =>
      first !== undefined &&
      row.events === first.events &&
      row.blockMs <= first.blockMs * MAX_CPU_RATIO &&
      row.mempoolMs <= first.mempoolMs * MAX_CPU_RATIO &&
      row.heldMb <= first.heldMb + MAX_HELD_MB &&
      row.residentMb <= first.residentMb + MAX_RESIDENT_MB
    return {
      ok: size === 'smallest' ? rows.every(({ events }) => events === first?.events) : rows.every(isOk),
      table: {
        columns: [
          'closed orders',
          'block CPU ms',
          'ratio',
          'mempool CPU ms',
          'ratio',
          'limit',
          'heap and buffers MB',
          'resident MB',
          'deposits and spends found',
        ],
        rows: rows.map((row) => [
          row.closed,
          Number(row.blockMs.toFixed(1)),
          ratio(row.blockMs, first?.blockMs ?? null),
          Number(row.mempoolMs.toFixed(1)),
          ratio(row.mempoolMs, first?.mempoolMs ?? null),
          MAX_CPU_RATIO,
          Number(row.heldMb.toFixed(1)),
          Math.round(row.residentMb),
          row.events,
        ]),
      },
    }
  },
}
