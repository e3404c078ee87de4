/**
 * Answers a service that asks about a funded order which is not paid yet (its deposit is exact, or its fill is signed). If the solver does
 * not want to pay, it commits to a refund: after that it never pays for this order, and signs the refund.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { factsOf } from '@tandem/party/engine/facts.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { durably } from '@tandem/party/store/database/durably.ts'
import { recordDecline } from '@tandem/party/store/orders/fills.ts'
import { findOrderSnapshots, type StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { commitTo, releaseLocked } from '@tandem/party/store/solver/commitments.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import { deriveOrder, hasSignedInstantRefund, type OrderState } from '@tandem/protocol/state.ts'
import type { DeclineCode } from '@tandem/protocol/wire/solver.ts'
import type { OrderContext } from '../orders.ts'
import { type PayRefusal, whyNotPay } from '../pay-checks.ts'
import { readLiveFacts } from '../read-live-facts.ts'

/** The answer is `wait` if the solver pays or is undecided. */
export type Decision = { readonly answer: 'wait' | 'declined'; readonly reason: string; readonly code?: DeclineCode }

type Verdict = { readonly kind: 'wait'; readonly reason: string } | ({ readonly kind: 'decline' } & PayRefusal)

export async function decideOnDeposit(context: OrderContext, stored: StoredOrder): Promise<Decision> {
  const { db, registry, now } = context
  if (stored.declined !== null) return { answer: 'declined', reason: stored.declined }
  // A refusal is final, so it is based on what the chains show now.
  const [known] = await findOrderSnapshots(db, [stored.order.id])
  const first = known === undefined ? null : await judge(context, deriveOrder(factsOf(registry, known, now())))
  if (first?.kind === 'wait') return { answer: 'wait', reason: first.reason }
  const state = deriveOrder(await readLiveFacts(context, stored))
  const verdict = await judge(context, state)
  const { reason } = verdict
  if (verdict.kind === 'wait') return { answer: 'wait', reason }
  const unsafe = await context.guard.whyUnsafe(state)
  if (unsafe !== null) return { answer: 'wait', reason: unsafe }
  if (!(await decline(db, state, reason))) return { answer: 'wait', reason: 'a payment is signed' }
  context.wake()
  return { answer: 'declined', reason, code: verdict.code }
}

async function judge({ payChecks }: OrderContext, state: OrderState): Promise<Verdict> {
  const wait = (reason: string): Verdict => ({ kind: 'wait', reason })
  const refuse = (code: DeclineCode, reason: string): Verdict => ({ kind: 'decline', code, reason })
  if (hasSignedInstantRefund(state)) return refuse('other', 'an instant refund is signed already')
  if (state.destination.deposits.length > 0) return wait('the solver has paid')
  if (state.source.phase !== 'initiated') return wait('the deposit is below the required confirmations')
  if (!state.fundedInTime) return refuse('time', 'the deposit was mined after the deadline')
  if (!state.chainsAlive) return wait('a chain has not made a block for too long')
  if (state.gapSeconds <= 0n) return refuse('time', 'too little time is left to pay safely')
  try {
    const why = await whyNotPay(payChecks, state)
    return why === null ? wait('the solver is about to pay') : refuse(why.code, why.reason)
  } catch (error) {
    // The solver is undecided: there is no price at the moment, or a halt may end soon.
    if (!(error instanceof ChainFailure)) throw error
    return wait(error.message)
  }
}

/** The solver pays or refunds, never both. Returns false if a payment is signed. */
async function decline(db: Database, { order }: OrderState, reason: string): Promise<boolean> {
  const key = actionKey(order.id, 'destination', 'initiate')
  if ((await readAttempts(db, key)).length > 0) return false
  await durably(db, async (tx) => {
    // A worker that is about to sign has committed to pay: it loses its lease, and cannot record what it signs.
    if (!(await commitTo(tx, order.id, 'refund_signed')) && !(await releaseLocked(tx, order.id)))
      throw new TandemError('conflict', `the solver pays for order ${order.id}`)
    await recordDecline(tx, order.id, reason)
  })
  return true
}
