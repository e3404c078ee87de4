/** Starts the refund of what will not be paid for: too much, too little, too late, declined, or beside what the solver signed for. */
import { ChainFailure } from '../../chains/family.ts'
import { clientFor } from '../../engine/facts.ts'
import { toGiveBack } from '../../protocol/playbook.ts'
import { isStray, type OrderState } from '../../protocol/state.ts'
import { lockRefundAddress } from '../../store/change-refund-address.ts'
import { addInstantRefunds } from '../../store/grants.ts'
import { findOrder } from '../../store/orders.ts'
import { signWithSolver } from '../instant-refund.ts'
import type { Errand, ErrandContext } from './errands.ts'

export function giveBackErrands(context: ErrandContext, states: readonly OrderState[]): readonly Errand[] {
  return states.flatMap((state) => {
    const { id, source } = state.order
    // Whoever kept the key, or has not said where to, has to ask.
    if (source.userAddress === null || source.clientKey || toGiveBack(state).length === 0) return []
    return [{ key: `give back ${id}`, run: () => giveBack(context, state) }]
  })
}

async function giveBack(context: ErrandContext, state: OrderState): Promise<'done'> {
  const { db, clients, wake } = context
  const { id } = state.order
  const stored = await findOrder(db, id)
  const { instantRefund } = clientFor(clients, state.order.source.chain)
  const to = stored?.order.source.userAddress ?? null
  if (stored === null || instantRefund === undefined || to === null) return 'done'
  // A redeem with the secret is signed: what pays for the order must stay where it is.
  const deposits = toGiveBack(state).filter((deposit) => !stored.secretReleased || isStray(stored, deposit.id))
  if (deposits.length === 0) return 'done'
  try {
    const refunds = await instantRefund.propose(stored.order.source.terms, { deposits, to })
    const signed = await signWithSolver(context, stored, instantRefund, refunds)
    await db.transaction().execute(async (tx) => {
      // Meanwhile the user may have said that it should go elsewhere.
      if ((await lockRefundAddress(tx, id)) === to) await addInstantRefunds(tx, id, signed)
    })
  } catch (error) {
    // Not worth its fee now: the ordinary refund after the timelock, which takes several together, may be.
    if (!(error instanceof ChainFailure) || error.kind !== 'uneconomic') throw error
    return 'done'
  }
  wake()
  return 'done'
}
