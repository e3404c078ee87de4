/** An engine over very many orders, open and finished, is measured against one over an empty database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { startChild } from './api/child.ts'
import { type Bench, type Size, withCommas } from './bench.ts'
import type { OpenInput, OpenReady } from './open-child.ts'
import { type EventCost, type MeasuredEngine, measureEvents } from './open-events.ts'
import { descendants } from './processes.ts'
import { seedOpenOrders } from './seed-open-orders.ts'
import { seedOrders } from './seed-orders.ts'

const ORDERS = { full: { open: 100_000, finished: 1_000_000 }, smallest: { open: 400, finished: 2_000 } }
const SETTLE_MS = { full: 10_000, smallest: 0 }
const IDLE_MS = { full: 30_000, smallest: 500 }
const EVENTS = { full: 41, smallest: 2 }

const MAX_CORE_PERCENT = 5
const MAX_START_SECONDS = 10
const MAX_RATIO = 1.2
/** Garbage that was not collected yet is no growth. */
const MAX_GROWTH = 1.1

type Role = OpenInput['role']
const ROLES: Readonly<Record<Size, readonly Role[]>> = { full: ['service', 'solver'], smallest: ['solver'] }
type Opened = { readonly db: Database; readonly url: string }
type Databases = { readonly empty: Opened; readonly full: Opened }
type Row = {
  readonly database: keyof Databases
  readonly role: Role
  /** Every order is derived for the first time in this many seconds. */
  readonly firstSeconds: number
  readonly startSeconds: number
  readonly enginePercent: number
  readonly databasePercent: number
  readonly megabytes: number
  readonly megabytesLater: number
  readonly event: EventCost | null
}

const now = () => BigInt(Math.floor(Date.now() / 1000))

async function measureOpen(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-open-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
    cleanups.push(postgres.stop)
    const create = async (name: string): Promise<Opened> => {
      const url = await postgres.createDatabase(`orders_${name}`)
      const db = await openDatabase(url)
      cleanups.push(() => db.destroy())
      return { db, url }
    }
    const databases = { empty: await create('empty'), full: await create('full') }
    const rows: Omit<Row, 'event'>[] = []
    for (const name of ['empty', 'full'] as const) {
      const { db, url } = databases[name]
      if (name === 'full') await seed(db, ORDERS[size], onProgress)
      for (const role of ROLES[size]) {
        onProgress(`${role}, ${name} database`)
        rows.push({ database: name, role, ...(await measure(db, { url, role }, size, onProgress)) })
      }
    }
    onProgress('waiting for actions')
    const events = await compareEvents(databases, EVENTS[size])
    return rows.map((row) => ({ ...row, event: row.role === 'solver' ? events[row.database] : null }))
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

async function seed(db: Database, { open, finished }: (typeof ORDERS)[Size], onProgress: (what: string) => void): Promise<void> {
  for (const name of ['shop', 'rival']) await createApp(db, name)
  await seedOrders(
    db,
    {
      orders: finished,
      environment: 'local',
      now: now(),
      apps: ['shop', 'rival'],
      allClosed: true,
      more: (run) => seedOpenOrders(run, { orders: open, now: now(), app: 'shop' }),
    },
    onProgress,
  )
}

/** The result is the seconds in which a new engine derives every order. */
async function deriveAll(db: Database, input: OpenInput): Promise<number> {
  const startedAt = performance.now()
  await withEngine(db, input, async () => {
    while ((await db.selectFrom('touched_orders').select('id').limit(1).execute()).length > 0) await sleep(100)
  })
  return (performance.now() - startedAt) / 1000
}

async function measure(db: Database, input: OpenInput, size: Size, onProgress: (what: string) => void) {
  onProgress('deriving every order once')
  const firstSeconds = size === 'full' ? await deriveAll(db, input) : 0
  return withEngine(db, input, async ({ ready: { pid, startedMs } }) => {
    await sleep(SETTLE_MS[size])
    onProgress('idle')
    const before = await descendants(process.pid)
    const idleAt = performance.now()
    await sleep(IDLE_MS[size])
    const after = await descendants(process.pid)
    const idleMs = performance.now() - idleAt
    const engine = (process: { readonly pid: number }) => process.pid === pid
    const database = ({ name }: { readonly name: string }) => name.includes('postgres')
    const percent = (isChosen: (process: (typeof after)[number]) => boolean) => {
      const cpuMs = (list: typeof after) => list.filter(isChosen).reduce((total, process) => total + process.cpuMs, 0)
      return ((cpuMs(after) - cpuMs(before)) / idleMs) * 100
    }
    const megabytes = (list: typeof after) => Math.round((list.find(engine)?.kilobytes ?? 0) / 1024)
    return {
      firstSeconds,
      startSeconds: startedMs / 1000,
      enginePercent: percent(engine),
      databasePercent: percent(database),
      megabytes: megabytes(before),
      megabytesLater: megabytes(after),
    }
  })
}

/** Both databases are measured with a solver at the same time. */
function compareEvents({ empty, full }: Databases, events: number): Promise<Readonly<Record<keyof Databases, EventCost>>> {
  const withSolver = <T>({ db, url }: Opened, work: (solver: MeasuredEngine) => Promise<T>) =>
    withEngine(db, { url, role: 'solver' }, (engine) => work({ db, engine }))
  return withSolver(empty, (one) => withSolver(full, (other) => measureEvents({ empty: one, full: other }, events)))
}

type Engine = Awaited<ReturnType<typeof startChild<OpenReady>>>

/** The chains in memory begin anew with every process. */
async function withEngine<T>(db: Database, input: OpenInput, work: (engine: Engine) => Promise<T>): Promise<T> {
  await db.deleteFrom('blocks').execute()
  await db.deleteFrom('leases').execute()
  const engine = await startChild<OpenReady>('../open-child.ts', input)
  try {
    return await work(engine)
  } finally {
    await engine.stop()
  }
}

const { open, finished } = ORDERS.full

export const openBench: Bench = {
  name: 'open',
  about: `an engine over ${withCommas(open)} open and ${withCommas(finished)} finished orders, against one over an empty database`,
  conditions: `An engine of each party in a process of its own, PostgreSQL, and three chains in memory that make a block every two seconds. Half of the open orders are unfunded, a quarter is underpaid, a quarter is paid on both sides and waits for the client's secret. Start-up: from loaded code until every chain was polled. Idle: user and system time during ${IDLE_MS.full / 1000} s. Event to action: from the poll that finds a source deposit to the broadcast of the destination's, median of ${EVENTS.full}; both engines run, and the databases alternate. CPU: of the engine, in the same time.`,
  async run({ size, onProgress }) {
    const rows = await measureOpen(size, onProgress)
    const emptyMs = rows.find(({ database, role }) => database === 'empty' && role === 'solver')?.event?.ms ?? Number.NaN
    const isOk = (row: Row) =>
      row.enginePercent + row.databasePercent < MAX_CORE_PERCENT &&
      row.startSeconds <= MAX_START_SECONDS &&
      row.megabytesLater <= row.megabytes * MAX_GROWTH &&
      (row.event?.ms ?? 0) <= emptyMs * MAX_RATIO
    return {
      ok: size === 'smallest' || rows.every(isOk),
      table: {
        columns: [
          'database',
          'party',
          'all derived s',
          'start s',
          'limit',
          '% of a core: engine',
          'PostgreSQL',
          'limit',
          'MB',
          'MB later',
          'event to action ms',
          'CPU ms',
          'ratio',
          'limit',
        ],
        rows: rows.map((row) => [
          row.database,
          row.role,
          Number(row.firstSeconds.toFixed(1)),
          Number(row.startSeconds.toFixed(1)),
          MAX_START_SECONDS,
          Number(row.enginePercent.toFixed(1)),
          Number(row.databasePercent.toFixed(1)),
          MAX_CORE_PERCENT,
          row.megabytes,
          row.megabytesLater,
          row.event === null ? '–' : Number(row.event.ms.toFixed(1)),
          row.event === null ? '–' : Number(row.event.cpuMs.toFixed(1)),
          row.event === null ? '–' : (row.event.ms / emptyMs).toFixed(2),
          MAX_RATIO,
        ]),
      },
    }
  },
}
