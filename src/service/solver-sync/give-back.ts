/** Starts the refund of what will not be paid for: too much, too little, too late, declined, or beside what the solver signed for. */
import { ChainFailure } from '../../chains/port/failure.ts'
import { clientFor } from '../../engine/facts.ts'
import { toGiveBack } from '../../protocol/playbook.ts'
import { isStray, type OrderState } from '../../protocol/state.ts'
import type { Deposit } from '../../protocol/swap-state.ts'
import { lockRefundAddress } from '../../store/orders/change-refund-address.ts'
import { addInstantRefunds } from '../../store/orders/grants.ts'
import { findOrder, type StoredOrder } from '../../store/orders/orders.ts'
import { signWithSolver } from '../instant-refund.ts'
import type { Errand, ErrandContext, ErrandResult } from './solver-sync.ts'

export function giveBackErrands(context: ErrandContext, states: readonly OrderState[]): readonly Errand[] {
  return states.flatMap((state) => {
    const { id, source } = state.order
    // Whoever kept the key, or has not said where to, has to ask.
    if (source.userAddress === null || source.clientKey || toGiveBack(state).length === 0) return []
    return [{ key: `give back ${id}`, run: () => giveBack(context, state) }]
  })
}

async function giveBack(context: ErrandContext, state: OrderState): Promise<ErrandResult> {
  const stored = await findOrder(context.db, state.order.id)
  if (stored === null) return 'done'
  const deposits = toGiveBack(state)
  const strays = deposits.filter(({ id }) => isStray(stored, id))
  // A redeem with the secret is signed: what pays for the order must stay where it is.
  const others = stored.secretReleased ? [] : deposits.filter(({ id }) => !isStray(stored, id))
  // Apart, because the solver signs strays at any time, and the others only while it does not pay.
  const results = await Promise.allSettled([strays, others].map((group) => signBack(context, stored, group)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  context.wake()
  return results.some((result) => result.status === 'fulfilled' && result.value === 'later') ? 'later' : 'done'
}

async function signBack(context: ErrandContext, stored: StoredOrder, deposits: readonly Deposit[]): Promise<'done' | 'later'> {
  const { db, clients } = context
  const { id, source } = stored.order
  const { instantRefund } = clientFor(clients, source.chain)
  const to = source.userAddress
  if (deposits.length === 0 || instantRefund === undefined || to === null) return 'done'
  try {
    const refunds = await instantRefund.propose(source.terms, { deposits, to }, 'together')
    const signed = await signWithSolver(context, stored, instantRefund, refunds)
    await db.transaction().execute(async (tx) => {
      // Meanwhile the user may have said that it should go elsewhere.
      if ((await lockRefundAddress(tx, id)) === to) await addInstantRefunds(tx, id, signed)
    })
    return 'done'
  } catch (error) {
    // Not worth its fee now: the ordinary refund after the timelock, which takes several together, may be.
    if (!(error instanceof ChainFailure) || error.kind !== 'uneconomic') throw error
    return 'later'
  }
}
