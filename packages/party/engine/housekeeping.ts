/** Runs slow work of an engine that no action waits for. Each kind has its own loop: rebuilding a long list must not delay the sweep. */

import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from 'pino'
import type { Database } from '../store/database/database.ts'
import { createLoop, repeat } from './loop.ts'
import { expireOrderList, repairOrderList } from './order-list.ts'
import type { Party } from './party.ts'
import type { Shards } from './shards.ts'
import { createSweeper } from './sweeper.ts'
import { EXPIRE_LIST_MS, REPAIR_LIST_MS, SWEEP_RETRY_MS } from './times.ts'

export type HousekeepingOptions = {
  readonly db: Database
  readonly registry: Registry
  readonly party: Pick<Party, 'role'>
  readonly shards: Pick<Shards, 'own'>
  readonly now: () => bigint
  readonly log: Logger
  readonly stopping: AbortSignal
}

export function startHousekeeping(options: HousekeepingOptions): () => Promise<unknown> {
  const { db, registry, party, now, stopping, log } = options
  const logged = (failed: string) => (error: unknown) => log.error({ err: error }, failed)
  const loops = [
    startSweeping(options),
    ...(party.role === 'service'
      ? [
          repeat(REPAIR_LIST_MS, () => repairOrderList(db, registry, now(), stopping), logged('rebuilding the order list failed')),
          repeat(EXPIRE_LIST_MS, () => expireOrderList(db, registry, now()), logged('expiring listed orders failed')),
        ]
      : []),
  ]

  return () => Promise.all(loops.map((loop) => loop.stop()))
}

function startSweeping({ shards, now, log, ...context }: HousekeepingOptions) {
  const { sweep } = createSweeper(context)
  let nextInMs = SWEEP_RETRY_MS
  return createLoop({
    intervalMs: () => nextInMs,
    async run() {
      nextInMs = await sweep(now(), await shards.own())
      return false
    },
    onError: (error) => log.error({ err: error }, 'sweeping the open orders failed'),
  })
}
