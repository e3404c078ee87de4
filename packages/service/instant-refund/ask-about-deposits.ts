/** Asks the solver about agreed deposits that it does not pay for. If it declines, the deposit is refunded at once instead of after its timelock. */

import { recordDecline } from '@tandem/party/store/orders/fills.ts'
import { awaitsPayment } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { type SyncContext, type SyncTaskSource, solverOf } from '../solver-sync/solver-sync.ts'

/** A solver that is well pays within this time. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000
const MAX_REMEMBERED = 100_000
/**
 * A solver that says "wait" is busy, and questions make it busier: it is then left alone for so many times as long as it took to answer, for all orders.
 * So an overloaded solver spends a small part of its time on questions, and an idle one is asked about ten orders a second or more.
 */
const QUIET_TIMES = 10
const LONGEST_QUIET_MS = 1_000

type Asking = { readonly dueAtMs: number; readonly pauseMs: number }

/** When to ask is kept in memory only: after a restart the pauses begin anew. */
export function createDepositQuestions(context: SyncContext, nowMs: () => number = Date.now): SyncTaskSource {
  const asking = new Map<string, Asking>()
  /** By solver. Infinite while it is asked. */
  const quietUntilMs = new Map<string, number>()

  function plan(orderId: string, pauseMs: number): Asking {
    if (asking.size >= MAX_REMEMBERED) asking.clear()
    const planned = { dueAtMs: nowMs() + pauseMs, pauseMs }
    asking.set(orderId, planned)
    return planned
  }

  /** One order at a time of each solver. */
  async function askInTurn(state: OrderState): Promise<void> {
    const { solverId } = state.order
    const askedAtMs = nowMs()
    let isDeclined = false
    quietUntilMs.set(solverId, Number.POSITIVE_INFINITY)
    try {
      isDeclined = await ask(context, state)
    } finally {
      const quietMs = isDeclined ? 0 : Math.min(QUIET_TIMES * (nowMs() - askedAtMs), LONGEST_QUIET_MS)
      quietUntilMs.set(solverId, nowMs() + quietMs)
    }
  }

  return (states) =>
    states.flatMap((state) => {
      const { id, solverId } = state.order
      if (!awaitsPayment(state)) {
        asking.delete(id)
        return []
      }
      const { dueAtMs, pauseMs } = asking.get(id) ?? plan(id, FIRST_PAUSE_MS)
      const run = async () => {
        const isQuiet = nowMs() < (quietUntilMs.get(solverId) ?? 0)
        plan(id, isQuiet ? pauseMs : Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
        if (!isQuiet) await askInTurn(state)
        return 'done' as const
      }
      return [{ key: `deposit ${id}`, solverId, orderIds: [id], dueAtMs, run }]
    })
}

/** True: it declined. */
async function ask(context: SyncContext, { order, source, fill }: OrderState): Promise<boolean> {
  const { db, log, wake } = context
  const newest = source.counted.at(-1)?.block
  if (newest == null) return false
  const { answer, reason, code } = await solverOf(context, order.solverId).fill(order.id, {
    // In the sequence that the solver signed: a reorg may have changed that of the blocks.
    deposits: [...(fill?.deposits ?? source.counted.map(({ id }) => id))],
    block_hash: newest.hash,
    destination_amount: order.destination.terms.amount.toString(),
  })
  if (answer !== 'declined') return false
  const declined = `the solver declined: ${reason ?? 'no reason given'}`
  log.info({ order: order.id, reason: declined, code }, 'the order is declined: refunding its deposit')
  await recordDecline(db, order.id, declined)
  wake()
  return true
}
