/** Numbers and deletes events while nobody listens: so a listener never finds a backlog, and the table stays short. */
import { createLoop, type Loop } from '../../engine/loop.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../store/database/database.ts'
import { numberEvents, pruneEvents } from '../../store/events/order-events.ts'

const NUMBER_MS = 10_000
const PRUNE_MS = 60_000

export function startEventKeeper({ db, log }: { readonly db: Database; readonly log: Logger }): Loop {
  let prunedAtMs = Number.NEGATIVE_INFINITY
  return createLoop({
    intervalMs: NUMBER_MS,
    async run() {
      await numberEvents(db)
      if (performance.now() - prunedAtMs < PRUNE_MS) return false
      const more = await pruneEvents(db)
      if (!more) prunedAtMs = performance.now()
      return more
    },
    onError: (error) => log.error({ err: error }, 'numbering the events of orders failed; will retry'),
  })
}
