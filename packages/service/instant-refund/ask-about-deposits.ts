/** The solver is asked about agreed deposits that it has not paid for. If it declines, they are refunded before their timelock ends. */

import { recordDecline } from '@tandem/party/store/orders/fills.ts'
import { awaitsPayment } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { type SyncContext, type SyncTaskSource, solverOf } from '../solver-sync/solver-sync.ts'

/** A healthy solver pays within this time. */
const MIN_BACKOFF_MS = 2_000
const MAX_BACKOFF_MS = 30_000
const MAX_REMEMBERED = 100_000
/**
 * A solver that answers "wait" is busy, and questions make it busier. The cooldown before the next question, about any order, is this many times the time that
 * it took to answer. An overloaded solver thus spends a small part of its time on questions, and an idle one is asked about ten orders a second or more.
 */
const COOLDOWN_FACTOR = 10
const MAX_COOLDOWN_MS = 1_000

type Planned = { readonly dueAtMs: number; readonly backoffMs: number }

/** The plan is only in memory: after a restart the backoff begins anew. */
export function createDepositQuestions(context: SyncContext, nowMs: () => number = Date.now): SyncTaskSource {
  const planned = new Map<string, Planned>()
  /** The end of the cooldown of each solver. Infinite while a question is open, so that each solver gets one question at a time. */
  const cooldownEndsMs = new Map<string, number>()

  function plan(orderId: string, backoffMs: number): Planned {
    if (planned.size >= MAX_REMEMBERED) planned.clear()
    const next = { dueAtMs: nowMs() + backoffMs, backoffMs }
    planned.set(orderId, next)
    return next
  }

  async function askAndCoolDown(state: OrderState): Promise<void> {
    const { solverId } = state.order
    const askedAtMs = nowMs()
    let isDeclined = false
    cooldownEndsMs.set(solverId, Number.POSITIVE_INFINITY)
    try {
      isDeclined = await ask(context, state)
    } finally {
      const cooldownMs = isDeclined ? 0 : Math.min(COOLDOWN_FACTOR * (nowMs() - askedAtMs), MAX_COOLDOWN_MS)
      cooldownEndsMs.set(solverId, nowMs() + cooldownMs)
    }
  }

  return (states) =>
    states.flatMap((state) => {
      const { id, solverId } = state.order
      if (!awaitsPayment(state)) {
        planned.delete(id)
        return []
      }
      const { dueAtMs, backoffMs } = planned.get(id) ?? plan(id, MIN_BACKOFF_MS)
      const run = async () => {
        const isCoolingDown = nowMs() < (cooldownEndsMs.get(solverId) ?? 0)
        plan(id, isCoolingDown ? backoffMs : Math.min(2 * backoffMs, MAX_BACKOFF_MS))
        if (!isCoolingDown) await askAndCoolDown(state)
        return 'done' as const
      }
      return [{ key: `deposit ${id}`, solverId, orderIds: [id], dueAtMs, run }]
    })
}

/** Returns true if the solver declined. */
async function ask(context: SyncContext, { order, source, fill }: OrderState): Promise<boolean> {
  const { db, log, wake } = context
  const newest = source.counted.at(-1)?.block
  if (newest == null) return false
  const { answer, reason, code } = await solverOf(context, order.solverId).fill(order.id, {
    // The solver signed this sequence, while a reorg may have changed the sequence in the blocks.
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
