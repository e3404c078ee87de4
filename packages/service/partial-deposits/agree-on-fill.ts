/** In the fill agreement the service proposes which deposits the solver pays for, and stores the solver's signature or refusal. */
import { clientFor } from '@tandem/party/engine/facts.ts'
import { dropProposal, recordDecline, recordProposal, recordSignature } from '@tandem/party/store/orders/fills.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import { proposeFill, withFill } from '@tandem/protocol/fill-rules.ts'
import { awaitsFill } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { SolverFailure } from '../solver-client.ts'
import { type SyncContext, type SyncTask, solverOf } from '../solver-sync/solver-sync.ts'

export function fillTasks(context: SyncContext, states: readonly OrderState[]): readonly SyncTask[] {
  return states.flatMap((state): readonly SyncTask[] => {
    const { id, solverId } = state.order
    // Both tasks share a key, so that no proposal is dropped while the solver decides about it.
    if (isStaleProposal(state)) return [{ key: `fill ${id}`, orderIds: [id], run: () => drop(context, id) }]
    return awaitsFill(state) ? [{ key: `fill ${id}`, solverId, orderIds: [id], run: () => agreeOnFill(context, state) }] : []
  })
}

/** Returns true if a reorg has removed a deposit of a proposal that is not signed. */
function isStaleProposal({ fill, source }: OrderState): boolean {
  return fill !== null && fill.signature === null && !source.isComplete
}

async function drop({ db, wake }: SyncContext, orderId: string): Promise<'done'> {
  await dropProposal(db, orderId)
  wake()
  return 'done'
}

async function agreeOnFill(context: SyncContext, state: OrderState): Promise<'done' | 'soon'> {
  const { db } = context
  const { order } = state
  const fill = await proposal(context, state)
  if (fill === null) return 'done'
  const { answer, signature, reason } = await solverOf(context, order.solverId).fill(order.id, {
    deposits: [...fill.deposits],
    block_hash: fill.blockHash,
    destination_amount: fill.destinationAmount.toString(),
  })
  if (answer === 'wait') return 'soon'
  if (answer === 'declined') {
    await decline(context, order.id, `the solver declined: ${reason ?? 'no reason given'}`)
    return 'done'
  }
  const { partialDeposits } = clientFor(context.clients, order.source.chain)
  if (signature === null || partialDeposits?.verifyFill(order.source.terms, order.id, fill, signature) !== true)
    throw new SolverFailure(`solver ${order.solverId} gave a wrong signature for this fill`)
  await recordSignature(db, order.id, fill, signature)
  context.wake()
  return 'done'
}

/** Returns the earlier proposal, or records a new one before the solver sees it, so that its destination HTLC is watched from the start. */
async function proposal(context: SyncContext, state: OrderState): Promise<Fill | null> {
  const { db, registry, clients } = context
  const { order } = state
  const proposed = state.fill ?? proposeFill(state)
  if (proposed === null) return null
  const { asset } = order.destination.terms
  const { minAmount, maxAmount } = registry.asset(asset)
  if (proposed.destinationAmount < minAmount || proposed.destinationAmount > maxAmount) {
    await decline(context, order.id, `${proposed.destinationAmount} of ${asset} is not between ${minAmount} and ${maxAmount}`)
    return null
  }
  const { chain, terms } = withFill(order, proposed).destination
  const destination = { amount: terms.amount, swapId: clientFor(clients, chain).swapId(terms) }
  if (state.fill !== null || (await recordProposal(db, order.id, proposed, destination))) return proposed
  return (await findOrder(db, order.id))?.fill ?? null
}

async function decline({ db, log, wake }: SyncContext, orderId: string, reason: string): Promise<void> {
  log.info({ order: orderId, reason }, 'the order is declined: refunding its deposits')
  await recordDecline(db, orderId, reason)
  wake()
}
