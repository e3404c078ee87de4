/** How what consists of parts starts and ends: they are closed in the reverse order of their start, and nothing that hangs holds it up. */
import type { FastifyInstance } from 'fastify'

/** Registers how to close a part. */
export type Keep = (close: () => Promise<unknown>) => void

export interface Closable {
  /** Closes every part, also if one fails: what goes on running would keep the process alive. Then throws the first failure. */
  stop(): Promise<void>
}

/** Starts parts, each of which is kept as soon as it runs. If a step fails, all that run are closed. `onTrouble`: one of these could not be. */
export async function startClosable<T extends object>(
  start: (keep: Keep) => Promise<T>,
  onTrouble: (failure: unknown) => void,
): Promise<T & Closable> {
  const closes: (() => Promise<unknown>)[] = []
  async function stop(): Promise<void> {
    const failures: unknown[] = []
    for (const close of closes.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  try {
    return { ...(await start((close) => closes.push(close))), stop }
  } catch (error) {
    await stop().catch(onTrouble)
    throw error
  }
}

/** Requests in progress get this long to be answered. Whoever stops us waits, and so do the clients who come back to the next process. */
const DRAIN_MS = 2_000

/** Takes no new requests, ends streams, and cuts what is not answered in time. */
export async function closeServer(server: FastifyInstance, drainMs = DRAIN_MS): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs)
  try {
    await server.close()
  } finally {
    clearTimeout(cut)
  }
}
