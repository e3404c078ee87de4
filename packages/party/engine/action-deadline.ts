/**
 * Ends an action that takes too long, or whose engine stops, so that it does not keep its slot and its leases. What the action still does
 * afterwards is harmless: without a lease nothing is signed or recorded, and to broadcast what is on record is always safe.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import type { LeasedAction } from '../store/actions/actions.ts'
import type { ActionResult } from '../store/actions/finish-action.ts'
import { backoffMs, type ExecutorContext, executeAction } from './executor.ts'
import type { Leases } from './leases.ts'
import { MAX_ACTION_MS } from './times.ts'

export async function executeInTime(context: ExecutorContext, action: LeasedAction, limitMs = MAX_ACTION_MS): Promise<ActionResult> {
  let isOver = false
  const others = new Map<ActionKey, LeasedAction>()
  const release = async (actions: Iterable<LeasedAction>) => {
    for (const one of actions) await context.leases.finish(one, { kind: 'skipped', againInMs: 0 })
  }
  const leases: Leases = {
    ...context.leases,
    async batch(first, query) {
      const leased = await context.leases.batch(first, query)
      if (isOver) {
        await release(leased)
        throw new ChainFailure('superseded', `${action.key} has ended before`)
      }
      for (const one of leased) others.set(one.key, one)
      return leased
    },
    async finish(one, result) {
      others.delete(one.key)
      await context.leases.finish(one, result)
    },
  }
  const { stopping } = context
  const stopped: ActionResult = { kind: 'skipped', againInMs: 0 }
  if (stopping?.aborted === true) return stopped
  const late: ActionResult = {
    kind: 'failed',
    error: `it did not end within ${limitMs / 1000} s`,
    againInMs: backoffMs(action.failures),
  }
  let timer: NodeJS.Timeout | undefined
  let stop: () => void = () => undefined
  const interrupted = new Promise<ActionResult>((resolve) => {
    timer = setTimeout(() => resolve(late), limitMs)
    stop = () => resolve(stopped)
  })
  stopping?.addEventListener('abort', stop)
  const done = executeAction({ ...context, leases }, action).then((result) => ({ result }))
  try {
    const outcome = await Promise.race([interrupted, done])
    if ('result' in outcome) return outcome.result
    isOver = true
    await release(others.values())
    return outcome
  } finally {
    clearTimeout(timer)
    stopping?.removeEventListener('abort', stop)
  }
}
