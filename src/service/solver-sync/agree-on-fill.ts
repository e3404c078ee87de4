/** Has the solver sign which deposits it pays for, before it pays; and learns when it will not. */
import { clientFor } from '../../engine/facts.ts'
import type { Fill } from '../../protocol/fill.ts'
import { proposeFill, withFill } from '../../protocol/fill-rules.ts'
import { awaitsFill } from '../../protocol/playbook.ts'
import type { OrderState } from '../../protocol/state.ts'
import { dropProposal, recordDecline, recordProposal, recordSignature } from '../../store/orders/fills.ts'
import { findOrder } from '../../store/orders/orders.ts'
import { SolverFailure } from '../solver-client.ts'
import { type Errand, type ErrandContext, solverOf } from './solver-sync.ts'

export function fillErrands(context: ErrandContext, states: readonly OrderState[]): readonly Errand[] {
  return states.flatMap((state) => {
    const { id } = state.order
    // Under one name, so that what is being asked is not dropped meanwhile.
    if (isHollow(state)) return [{ key: `fill ${id}`, run: () => drop(context, id) }]
    return awaitsFill(state) ? [{ key: `fill ${id}`, run: () => agreeOnFill(context, state) }] : []
  })
}

/** Proposed, never signed, and a deposit of it is gone. */
function isHollow({ fill, source }: OrderState): boolean {
  return fill !== null && fill.signature === null && !source.isComplete
}

async function drop({ db, wake }: ErrandContext, orderId: string): Promise<'done'> {
  await dropProposal(db, orderId)
  wake()
  return 'done'
}

async function agreeOnFill(context: ErrandContext, state: OrderState): Promise<'done' | 'soon'> {
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
    throw new SolverFailure(`solver ${order.solverId} gave a signature that is not one for this fill`)
  await recordSignature(db, order.id, fill, signature)
  context.wake()
  return 'done'
}

/** What was proposed before stands. Written down before anybody is told, so that what follows from it is watched from the start. */
async function proposal(context: ErrandContext, state: OrderState): Promise<Fill | null> {
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

async function decline({ db, log, wake }: ErrandContext, orderId: string, reason: string): Promise<void> {
  log.info({ order: orderId, reason }, 'the deposit is not paid for and goes back')
  await recordDecline(db, orderId, reason)
  wake()
}
