/** Runs the reconciler: at once when something is recorded, and at an interval for what time changes. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Logger } from 'pino'
import { createDirtyFlag } from './dirty-flag.ts'
import { createDueChains } from './due-chains.ts'
import { createLoop } from './loop.ts'
import { ALL_SHARDS, type ReconcilerContext, reconcile } from './reconciler.ts'
import type { Shards } from './shards.ts'
import { RECONCILE_ALL_CHAINS_MS, RECONCILE_COOLDOWN_MS } from './times.ts'
import { createWaits } from './waits.ts'

export interface ReconcileLoop {
  wake(): void
  wakeFor(chain: ChainId): void
  waitMs(): number
  stop(): Promise<void>
}

export type ReconcileLoopOptions = ReconcilerContext & {
  readonly shards: Pick<Shards, 'own'>
  readonly now: () => bigint
  readonly log: Logger
  readonly intervalMs: () => number
  /** Other engines watch the chains, so this one derives only what it is woken for, and what they leave for a while. */
  readonly isStandby: () => boolean
  readonly onWanted: () => void
  readonly onDerived: () => void
}

export function startReconcileLoop(options: ReconcileLoopOptions): ReconcileLoop {
  const { shards, now, log, intervalMs, isStandby, onWanted, onDerived } = options
  const waits = createWaits()
  const dirty = createDirtyFlag()
  const dueChains = createDueChains(RECONCILE_ALL_CHAINS_MS)
  let newestMark: bigint | null = null

  const loop = createLoop({
    intervalMs,
    cooldownMs: RECONCILE_COOLDOWN_MS,
    async run() {
      waits.begin()
      const { newlyWanted, more, derived } = await pass(await shards.own())
      waits.end(waits.currentMs(), more ? waits.currentMs() : null)
      if (derived) onDerived()
      if (newlyWanted) onWanted()
      return more
    },
    onError: (error) => log.error({ err: error }, 'reconciler failed'),
  })

  async function pass(own: readonly number[]) {
    const done = await dirty.run((isDirty) =>
      dueChains.run((due) =>
        reconcile(options, now(), {
          // The engine that sees a chain change derives all orders that are due by that chain. The engines share what time changes.
          shards: due.chains === undefined ? own : ALL_SHARDS,
          ...(isStandby() && !isDirty && newestMark !== null && { upToMark: newestMark }),
          ...due,
        }),
      ),
    )
    newestMark = done.newestMark
    return done
  }

  function wake(): void {
    waits.begin()
    dirty.set()
    loop.wake()
  }

  return {
    wake,
    wakeFor(chain) {
      dueChains.changed(chain)
      wake()
    },
    waitMs: waits.maxMs,
    stop: loop.stop,
  }
}
