/**
 * Sends signals between the processes of one database, by LISTEN and NOTIFY. A signal only saves waiting for the next poll: it may be lost
 * while a connection is down, and nothing relies on it.
 */
import pg from 'pg'
import { number, shape } from './columns.ts'
import { type Database, PROBES, urlOf } from './database.ts'

export interface Signals {
  /** Concurrent signals to the other processes are sent together, each once. */
  send(signal: string): void
  close(): Promise<void>
}

const self = shape({ pid: number })

const CHANNEL = 'tandem'
const COLLECT_MS = 10
/** After a statement, signals wait this long for others: each statement commits, and wakes every process. */
const REST_MS = 100
const NOTIFY = { name: 'notify', text: 'select pg_notify($1, signal) from unnest($2::text[]) as signal' }
const RECONNECT_MS = 1000
const CONNECT_TIMEOUT_MS = 10_000

/** The connection is opened again when it breaks. `onSignal` gets the signals of other processes. */
export function openSignals(db: Database, onSignal: (signal: string) => void, restMs = REST_MS): Signals {
  const connectionString = urlOf(db)
  const waiting = new Set<string>()
  let connection: pg.Client | null = null
  let opening: Promise<void>
  let reconnect: NodeJS.Timeout | undefined
  let flushing: NodeJS.Timeout | undefined
  let sentAtMs = Number.NEGATIVE_INFINITY
  let isClosed = false

  async function open(): Promise<void> {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...PROBES })
    let isBroken = false
    const onBroken = () => {
      if (isBroken) return
      isBroken = true
      if (connection === client) connection = null
      if (isClosed) return
      reconnect = setTimeout(() => {
        opening = open()
      }, RECONNECT_MS)
      reconnect.unref()
    }
    client.on('error', onBroken)
    client.on('end', onBroken)
    client.on('notification', ({ processId, payload }) => {
      if (processId !== ownId && payload !== undefined) onSignal(payload)
    })
    let ownId: number | null = null
    try {
      await client.connect()
      // A lost signal does no harm, so commits need not wait for the disk.
      const { rows } = await client.query("select pg_backend_pid() as pid, set_config('synchronous_commit', 'off', false)")
      ownId = self(rows[0]).pid
      await client.query(`listen ${CHANNEL}`)
      connection = client
    } catch {
      // Polls go on without signals.
      onBroken()
    }
    if (isClosed || isBroken) await client.end()
  }

  /** One query runs at a time. Signals that are sent meanwhile go with the next one. */
  async function flush(): Promise<void> {
    const signals = [...waiting]
    waiting.clear()
    try {
      await connection?.query({ ...NOTIFY, values: [CHANNEL, signals] })
    } catch {
      // A failed query breaks the connection, which is opened again.
      await connection?.end().catch(() => undefined)
    }
    sentAtMs = performance.now()
    flushing = undefined
    if (waiting.size > 0) flushSoon()
  }

  function flushSoon(): void {
    if (!isClosed) flushing ??= setTimeout(() => void flush(), Math.max(COLLECT_MS, sentAtMs + restMs - performance.now()))
  }

  opening = open()
  return {
    send(signal) {
      if (isClosed) return
      waiting.add(signal)
      flushSoon()
    },
    async close() {
      isClosed = true
      clearTimeout(reconnect)
      clearTimeout(flushing)
      await opening
      if (waiting.size > 0) await flush()
      await connection?.end()
    },
  }
}
