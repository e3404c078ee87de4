/** Asks the solver about agreed deposits that it does not pay for. If it declines, the deposit is refunded at once instead of after its timelock. */
import { awaitsPayment } from '../../protocol/playbook.ts'
import type { OrderState } from '../../protocol/state.ts'
import { recordDecline } from '../../store/orders/fills.ts'
import { type SyncContext, type SyncTaskSource, solverOf } from '../solver-sync/solver-sync.ts'

/** A solver that is well pays within this time. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000
const MAX_REMEMBERED = 100_000

type Asking = { readonly dueAtMs: number; readonly pauseMs: number }

/** When to ask is kept in memory only: after a restart the pauses begin anew. */
export function createDepositQuestions(context: SyncContext, nowMs: () => number = Date.now): SyncTaskSource {
  const asking = new Map<string, Asking>()

  function plan(orderId: string, pauseMs: number): Asking {
    if (asking.size >= MAX_REMEMBERED) asking.clear()
    const planned = { dueAtMs: nowMs() + pauseMs, pauseMs }
    asking.set(orderId, planned)
    return planned
  }

  return (states) =>
    states.flatMap((state) => {
      const { id } = state.order
      if (!awaitsPayment(state)) {
        asking.delete(id)
        return []
      }
      const { dueAtMs, pauseMs } = asking.get(id) ?? plan(id, FIRST_PAUSE_MS)
      const run = async () => {
        plan(id, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
        await ask(context, state)
        return 'done' as const
      }
      return [{ key: `deposit ${id}`, orderIds: [id], dueAtMs, run }]
    })
}

async function ask(context: SyncContext, { order, source, fill }: OrderState): Promise<void> {
  const { db, log, wake } = context
  const newest = source.counted.at(-1)?.block
  if (newest == null) return
  const { answer, reason } = await solverOf(context, order.solverId).fill(order.id, {
    // In the sequence that the solver signed: a reorg may have changed that of the blocks.
    deposits: [...(fill?.deposits ?? source.counted.map(({ id }) => id))],
    block_hash: newest.hash,
    destination_amount: order.destination.terms.amount.toString(),
  })
  if (answer !== 'declined') return
  const declined = `the solver declined: ${reason ?? 'no reason given'}`
  log.info({ order: order.id, reason: declined }, 'the order is declined: refunding its deposit')
  await recordDecline(db, order.id, declined)
  wake()
}
