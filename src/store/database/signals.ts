/**
 * Signals between the processes of one database, by LISTEN and NOTIFY. A signal only saves waiting for the next poll: it may be lost while a
 * connection is down, and nobody relies on it.
 */
import pg from 'pg'
import { type Database, PROBES, urlOf } from './database.ts'

export interface Signals {
  /** Tells the other processes. Signals of the same moment go together, each once. */
  send(signal: string): void
  close(): Promise<void>
}

const CHANNEL = 'tandem'
const COLLECT_MS = 10
const RECONNECT_MS = 1000
const CONNECT_TIMEOUT_MS = 10_000

/** One connection, opened again when it breaks. `onSignal` gets the signals of other processes. */
export function openSignals(db: Database, onSignal: (signal: string) => void): Signals {
  const connectionString = urlOf(db)
  const waiting = new Set<string>()
  let connection: pg.Client | null = null
  let opening: Promise<void>
  let reconnect: NodeJS.Timeout | undefined
  let flushing: NodeJS.Timeout | undefined
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
      // A lost signal does no harm: do not wait for the disk.
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid, set_config('synchronous_commit', 'off', false)")
      ownId = rows[0]?.pid ?? null
      await client.query(`listen ${CHANNEL}`)
      connection = client
    } catch {
      // Polls go on without it.
      onBroken()
    }
    if (isClosed || isBroken) await client.end()
  }

  /** One query at a time: what is sent meanwhile goes with the next. */
  async function flush(): Promise<void> {
    while (waiting.size > 0) {
      const signals = [...waiting]
      waiting.clear()
      try {
        await connection?.query('select pg_notify($1, signal) from unnest($2::text[]) as signal', [CHANNEL, signals])
      } catch {
        // A failed query breaks the connection, which is opened again.
        await connection?.end().catch(() => undefined)
      }
    }
    flushing = undefined
  }

  opening = open()
  return {
    send(signal) {
      if (isClosed) return
      waiting.add(signal)
      flushing ??= setTimeout(() => void flush(), COLLECT_MS)
    },
    async close() {
      isClosed = true
      clearTimeout(reconnect)
      clearTimeout(flushing)
      const open = connection
      await opening
      await open?.end()
    },
  }
}
