/** The solver's part of an instant refund: it signs a deposit back to the user once it can never pay for it, and never pays afterwards. */
import { ChainFailure } from '../chains/family.ts'
import { clientFor, loadLiveFacts } from '../engine/facts.ts'
import { TandemError } from '../protocol/error.ts'
import { actionKey, type InstantRefund, type SignedInstantRefund } from '../protocol/order.ts'
import { maySignInstantRefund } from '../protocol/playbook.ts'
import { deriveOrder, type OrderState } from '../protocol/state.ts'
import type { SolverInstantRefund, SolverInstantRefundRequest } from '../protocol/wire/solver.ts'
import { readAction, readAttempts } from '../store/actions.ts'
import { commitTo } from '../store/commitments.ts'
import type { Database } from '../store/database.ts'
import { durably } from '../store/durably.ts'
import { addInstantRefunds } from '../store/grants.ts'
import { findOrder, type StoredOrder } from '../store/orders.ts'
import type { OrderContext } from './orders.ts'

/** One signature for each refund, in the same sequence. What is not certainly harmless is refused. */
export async function signInstantRefunds(
  context: OrderContext,
  orderId: string,
  request: SolverInstantRefundRequest,
): Promise<SolverInstantRefund> {
  const { db, registry, clients, signer, solverId } = context
  const stored = await findOrder(db, orderId)
  if (stored === null) throw new TandemError('not_found', `there is no order ${orderId}`)
  const { source, destination } = stored.order
  const { instantRefund, parseAddress } = clientFor(clients, source.chain)
  if (instantRefund === undefined) throw new TandemError('bad_request', `${source.chain} knows no instant refunds`)
  const refunds = request.refunds.map(({ deposit, amount, to, pays }) => ({
    deposit,
    amount: BigInt(amount),
    to: parseAddress(to),
    pays: BigInt(pays),
  }))

  const state = await lookAtChains(context, stored)
  assertDeposits(state, refunds)
  if (!maySignInstantRefund(state, registry.chain(destination.chain).finalityBlocks)) throw refusal(state)
  const signed = await Promise.all(
    refunds.map(async (refund) => ({ ...refund, signature: await instantRefund.sign(source.terms, refund, signer) })),
  )
  await commit(db, state, signed)
  return { solver_id: solverId, signatures: signed.map(({ signature }) => signature) }
}

/** As they are now, by the solver's own connections. */
async function lookAtChains(context: OrderContext, stored: StoredOrder): Promise<OrderState> {
  try {
    return deriveOrder(await loadLiveFacts(context, stored, null))
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    throw new TandemError('chain_unavailable', 'the solver cannot look at the chains of this order just now; try again', { cause: error })
  }
}

/** Each is a deposit of this very source, mined, of the amount that is stated, not spent for good, and named once. */
function assertDeposits({ source }: OrderState, refunds: readonly InstantRefund[]): void {
  const names = new Set(refunds.map(({ deposit }) => deposit))
  if (names.size !== refunds.length) throw new TandemError('bad_request', 'a deposit is named more than once')
  for (const { deposit, amount, pays } of refunds) {
    const found = source.deposits.find(({ id }) => id === deposit)
    if (found === undefined) throw new TandemError('conflict', `the solver sees no deposit ${deposit} to this order`)
    if (found.block === null) throw new TandemError('conflict', `the solver sees no block with the deposit ${deposit} yet`)
    if (found.spend?.block != null) throw new TandemError('conflict', `the deposit ${deposit} is spent`)
    if (found.amount !== amount) throw new TandemError('bad_request', `the deposit ${deposit} is ${found.amount}, not ${amount}`)
    if (pays > amount) throw new TandemError('bad_request', `the deposit ${deposit} cannot pay ${pays}`)
  }
}

/** Durable before a signature leaves the process. From here on the playbook of this solver never initiates the destination. */
async function commit(db: Database, state: OrderState, signed: readonly SignedInstantRefund[]): Promise<void> {
  const { id } = state.order
  // Its own side was there and came back for good: it went the other way, and that way is at its end.
  const cameBack = state.destination.counted.length > 0
  await durably(db, async (tx) => {
    // First of all, for whoever is about to initiate waits here, and then sees the other way taken.
    const isFree = await commitTo(tx, id, 'refund_signed')
    if (!isFree && !cameBack) throw refusal(state)
    const key = actionKey(id, 'destination', 'initiate')
    if ((await readAction(tx, key))?.wanted === true) throw refusal(state)
    if (!cameBack && (await readAttempts(tx, key)).length > 0) throw refusal(state)
    await addInstantRefunds(tx, id, signed)
  })
}

function refusal({ order, status }: OrderState): TandemError {
  return new TandemError('conflict', `the solver pays for order ${order.id}, or has paid: it is ${status} and cannot be given back at once`)
}
