/** Performs one leased action: executes it within its time limit, logs the result, and ends the lease. */
import type { Logger } from 'pino'
import type { LeasedAction } from '../store/actions/actions.ts'
import type { ActionResult } from '../store/actions/finish-action.ts'
import { executeInTime } from './action-deadline.ts'
import { backoffMs, type ExecutorContext } from './executor.ts'

export type PerformContext = ExecutorContext & {
  readonly log: Logger
  readonly onAction?: (action: LeasedAction, outcome: ActionResult['kind'], ms: number) => void
}

/** Never rejects. Resolves to the milliseconds until the action is tried again; null if no retry is needed. */
export async function performAction(context: PerformContext, action: LeasedAction): Promise<number | null> {
  const { leases, log, onAction } = context
  const beganAtMs = performance.now()
  try {
    const result = await attempt(context, action)
    onAction?.(action, result.kind, performance.now() - beganAtMs)
    await leases.finish(action, result)
    return result.kind === 'failed' || result.kind === 'skipped' ? result.againInMs : null
  } catch (error) {
    // The lease has expired: the first engine that reaches the database leases the action again.
    log.error({ order: action.orderId, err: error }, 'could not record the result of an action')
    return null
  }
}

async function attempt(context: PerformContext, action: LeasedAction): Promise<ActionResult> {
  const { log } = context
  const about = { order: action.orderId, action: `${action.verb} ${action.leg}` }
  try {
    const result = await executeInTime(context, action)
    if (result.kind === 'sent' && result.tx !== action.lastTx) log.info({ ...about, tx: result.tx }, 'sent')
    if (result.kind === 'cancelling') log.warn({ ...about, tx: result.tx }, 'no longer wanted: cancelling the unmined transaction')
    if (result.kind === 'failed') {
      const failures = action.failures + (result.isExpected === true ? 0 : 1)
      log.warn({ ...about, reason: result.error, failures }, 'action not possible yet; will retry')
    }
    return result
  } catch (error) {
    log.error({ ...about, err: error }, 'action failed unexpectedly; will retry')
    const reason = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', error: reason, againInMs: backoffMs(action.failures) }
  }
}
