/** The engine signs the instant refunds that a user asked the API for, where the service holds the user's key. */
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { changedMeanwhile } from '../orders/refund-address.ts'
import type { SyncContext } from '../solver-sync/solver-sync.ts'
import { openDeposits, planOpen, requireAbility, stateOf, whyNot } from './plan-refund.ts'
import type { RefundWish } from './refund-wish.ts'
import { createRefundStore, refuseIfSolverFails, signInParts, signWithSolver } from './sign-with-solver.ts'

/** The caller signs for this order alone. The chain may have moved since the API planned, so everything is decided again. The seal of the rows is checked before each signature. */
export async function signWishedRefunds(context: SyncContext, { orderId, from, to, isTokenHolder }: RefundWish): Promise<void> {
  const [snapshot] = await findOrderSnapshots(context.db, [orderId])
  if (snapshot === undefined) throw new TandemError('not_found', `there is no order "${orderId}"`)
  const { stored } = snapshot
  if (stored.order.source.userAddress !== from) throw changedMeanwhile()
  const ability = requireAbility(context, stored)
  const state = stateOf(context, snapshot)
  const open = openDeposits(state, stored)
  if (open.length === 0) throw new TandemError('conflict', whyNot(state))
  const { refunds } = await planOpen(context, ability, stored, state, { open, to, isTokenHolder })
  await signInParts(
    refunds,
    (part) => refuseIfSolverFails(context, stored, () => signWithSolver(context, stored, ability, { refunds: part, to })),
    createRefundStore({ db: context.db, sealer: context.vault }, stored, to),
  )
}
