/** How a process of either party ends: its parts are closed in the reverse order of their start, and nothing that hangs holds it up. */
import type { FastifyInstance } from 'fastify'

/** Registers how to close a part. */
export type Keep = (close: () => Promise<unknown>) => void

export interface Closing {
  readonly keep: Keep
  /** Closes every part, also if one fails: what goes on running would keep the process alive. Then throws the first failure. */
  close(): Promise<void>
}

export function createClosing(): Closing {
  const closes: (() => Promise<unknown>)[] = []
  return {
    keep: (close) => closes.push(close),
    async close() {
      const failures: unknown[] = []
      for (const close of closes.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Requests in progress get so long to be answered. Whoever stops us waits, and so do the clients who come back to the next process. */
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
