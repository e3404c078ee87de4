/** Gets the solver's signature for an instant refund and combines it with the user's. */
import type { ChainClient } from '../../chains/port/client.ts'
import { createSigner } from '../../keys/signer.ts'
import type { InstantRefund, SignedInstantRefund } from '../../protocol/order.ts'
import type { StoredOrder } from '../../store/orders/orders.ts'
import { SolverFailure } from '../solver-client.ts'
import { type SyncContext, solverOf } from '../solver-sync/solver-sync.ts'

export type InstantRefundAbility = NonNullable<ChainClient['instantRefund']>

/** Where the service holds the user's key: one signature by both keys, made in one round trip. */
export async function signWithSolver(
  context: SyncContext,
  { order }: StoredOrder,
  ability: InstantRefundAbility,
  refunds: readonly InstantRefund[],
): Promise<readonly SignedInstantRefund[]> {
  const key = await context.vault.get(context.db, order.id, 'source-key')
  if (key === null) throw new Error(`order ${order.id}: its source key is missing`)
  const session = ability.begin(order.source.terms, refunds, createSigner(key))
  const signatures = await askSolver(context, order.id, order.solverId, refunds, session.nonces)
  try {
    return session.finish(
      signatures.map(({ nonce, signature }) => {
        if (nonce === null) throw new SolverFailure(`solver ${order.solverId} answered without a nonce`)
        return { nonce, signature }
      }),
    )
  } catch (error) {
    throw new SolverFailure(`solver ${order.solverId} gave wrong signatures for these refunds`, { cause: error })
  }
}

/** With signatures of the client, verified by the caller: each side signs for itself. */
export async function combineWithSolver(
  context: SyncContext,
  { order }: StoredOrder,
  ability: InstantRefundAbility,
  refunds: readonly InstantRefund[],
  clientSignatures: readonly string[],
): Promise<readonly SignedInstantRefund[]> {
  const signatures = await askSolver(context, order.id, order.solverId, refunds, [])
  return refunds.map((refund, index) => {
    const [initiator, redeemer] = [clientSignatures[index], signatures[index]?.signature]
    const signed =
      initiator === undefined || redeemer === undefined ? null : ability.combine(order.source.terms, refund, { initiator, redeemer })
    if (signed === null) throw new SolverFailure(`solver ${order.solverId} gave a wrong signature for ${refund.deposit}`)
    return signed
  })
}

async function askSolver(
  context: SyncContext,
  orderId: string,
  solverId: string,
  refunds: readonly InstantRefund[],
  nonces: readonly string[],
) {
  const { signatures } = await solverOf(context, solverId).instantRefund(orderId, {
    refunds: refunds.map((refund) => ({ ...refund, amount: refund.amount.toString(), pays: refund.pays.toString() })),
    nonces: [...nonces],
  })
  if (signatures.length !== refunds.length)
    throw new SolverFailure(`solver ${solverId} signed ${signatures.length} refunds of ${refunds.length}`)
  return signatures
}
