/** Publishes polls for the other processes of the database, so that they need not poll the chain themselves. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { publishPoll, readClock } from '../store/chain/polls.ts'
import type { Database } from '../store/database/database.ts'
import { CLOCK_ERROR_MS, PUBLISH_MS } from './times.ts'

/** The database's time of the poll is computed from an earlier answer of the database, so it is never later than the truth. */
export function createPollPublisher(
  db: Database,
  chain: ChainId,
): (poll: { readonly tip: Block; readonly beganAtMs: number }) => Promise<void> {
  let known: { readonly atMs: number; readonly clock: number } | null = null

  return async ({ tip, beganAtMs }) => {
    if (known !== null && performance.now() - known.atMs < PUBLISH_MS) return
    const clock =
      known === null || known.atMs > beganAtMs
        ? await readClock(db)
        : await publishPoll(db, chain, { hash: tip.hash, beganAt: known.clock + (beganAtMs - known.atMs) - CLOCK_ERROR_MS })
    known = { atMs: performance.now(), clock }
  }
}
