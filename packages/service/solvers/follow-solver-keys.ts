/** Asks the solvers for their public keys, so that they are published before the first order. */
import { createLoop, type Loop } from '@tandem/party/engine/loop.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverClient } from '../solver-client.ts'
import type { SolverKeys } from './solver-keys.ts'

/** A solver with a new key was restarted. */
const POLL_MS = 60_000
/** While one has never answered. Each wait is twice the one before: one that is gone for good is not asked so often, nor are the others. */
const FIRST_POLL_MS = 2_000

export type FollowSolverKeysContext = {
  readonly solvers: readonly Pick<SolverClient, 'id' | 'health'>[]
  readonly log: Pick<Logger, 'warn'>
  readonly firstPollMs?: number
}

export function followSolverKeys({ solvers, log, firstPollMs = FIRST_POLL_MS }: FollowSolverKeysContext, keys: SolverKeys): Loop {
  const answered = new Set<string>()
  let waitMs = firstPollMs / 2
  return createLoop({
    intervalMs: () => (answered.size < solvers.length ? waitMs : POLL_MS),
    async run() {
      waitMs = Math.min(2 * waitMs, POLL_MS)
      await keys.refresh()
      // One that does not answer is asked again; whether it does is told elsewhere.
      const answers = await Promise.allSettled(solvers.map((solver) => solver.health()))
      for (const [index, answer] of answers.entries()) {
        const id = solvers[index]?.id
        if (id === undefined || answer.status === 'rejected') continue
        await keys.note(id, Object.entries(answer.value.keys ?? {}))
        answered.add(id)
      }
      return false
    },
    onError: (error) => log.warn({ err: error }, 'the public keys of solvers cannot be kept; will retry'),
  })
}
