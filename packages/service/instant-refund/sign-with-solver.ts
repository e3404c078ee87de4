/** Gets the solver's signature for an instant refund and combines it with the user's. */
import type { CosignedRefund } from '@tandem/chain-kit/port/abilities/cosigned-refund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createKey } from '@tandem/keys/keyring.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { SolverFailure } from '../solver-client.ts'
import { type SyncContext, solverOf } from '../solver-sync/solver-sync.ts'
import { withRefundFee } from './refund-budget.ts'

export type InstantRefundAbility = NonNullable<ChainClient['instantRefund']>

/**
 * Without the user: one round trip. Where the initiator must sign too, the service holds the user's key, and both keys make one signature. Else
 * the solver's consent is enough.
 */
export async function signWithSolver(
  context: SyncContext,
  stored: StoredOrder,
  ability: InstantRefundAbility,
  refunds: readonly InstantRefund[],
): Promise<readonly SignedInstantRefund[]> {
  // Where the service holds the user's key, its signature pays whatever address the row names.
  assertSealed(context.vault, stored)
  const { order } = stored
  const { cosignedRefund } = clientFor(context.clients, order.source.chain)
  if (cosignedRefund !== undefined) return signTogether(context, { order }, cosignedRefund, refunds)
  // Before the solver is asked: it never pays after it has signed.
  return withRefundFee(context, order, () => combineWithSolver(context, { order }, ability, refunds, []))
}

async function signTogether(
  context: SyncContext,
  { order }: Pick<StoredOrder, 'order'>,
  ability: CosignedRefund,
  refunds: readonly InstantRefund[],
): Promise<readonly SignedInstantRefund[]> {
  const key = await context.vault.get(context.db, order.id, 'source-key')
  if (key === null) throw new Error(`order ${order.id}: its source key is missing`)
  const { chain, terms } = order.source
  const purpose = orderPurpose(chain, { order: order.id, leg: 'source', verb: 'instant-refund', terms })
  const session = await ability.begin(terms, refunds, createKey(clientFor(context.clients, chain).curve, key).signerFor(purpose))
  const answer = await askSolver(context, order.id, order.solverId, refunds, session.offer)
  return verified(order.solverId, () => session.finish(answer))
}

/** Combines the client's signatures, which the caller has verified, with the solver's. */
export async function combineWithSolver(
  context: SyncContext,
  { order }: Pick<StoredOrder, 'order'>,
  ability: InstantRefundAbility,
  refunds: readonly InstantRefund[],
  clientSignatures: readonly string[],
): Promise<readonly SignedInstantRefund[]> {
  const redeemer = await askSolver(context, order.id, order.solverId, refunds, null)
  return verified(order.solverId, () => ability.combine(order.source.terms, refunds, { initiator: clientSignatures, redeemer }))
}

async function verified<T>(solverId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new SolverFailure(`solver ${solverId} gave wrong signatures for these refunds`, { cause })
  }
}

async function askSolver(
  context: SyncContext,
  orderId: string,
  solverId: string,
  refunds: readonly InstantRefund[],
  offer: string | null,
): Promise<string> {
  const { answer } = await solverOf(context, solverId).instantRefund(orderId, {
    refunds: refunds.map((refund) => ({ ...refund, amount: refund.amount.toString(), pays: refund.pays.toString() })),
    offer,
  })
  return answer
}
