/** Starts and stops programs that consist of parts. Parts close in the reverse order of their start, and a part that hangs does not block the others. */
import type { FastifyInstance } from 'fastify'

export type Keep = (close: () => Promise<unknown>) => void

export interface Closable {
  /** Every part is closed, even if one fails, because a running part would keep the process alive. Then the first failure is thrown. */
  stop(): Promise<void>
}

/** If a step fails, all parts that run are closed. `onTrouble` gets the error of a part that could not be closed. */
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

/** Requests in progress have this long to be answered. The supervisor waits for that, and so do clients that reconnect to the next process. */
const DRAIN_MS = 2_000

/** No new requests are taken, streams end, and requests that are not answered in time are cut. */
export async function closeServer(server: FastifyInstance, drainMs = DRAIN_MS): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs)
  try {
    await server.close()
  } finally {
    clearTimeout(cut)
  }
}
