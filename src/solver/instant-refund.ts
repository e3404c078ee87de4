/** The solver's part of an instant refund: it signs a deposit back to the user if it does not pay for it, or never pays afterwards. */
import type { ChainClient } from '../chains/port/client.ts'
import { clientFor } from '../engine/facts.ts'
import { TandemError } from '../protocol/error.ts'
import { actionKey, type InstantRefund, type SignedInstantRefund } from '../protocol/order.ts'
import { maySignInstantRefund } from '../protocol/playbook.ts'
import { deriveOrder, isStray, type OrderState } from '../protocol/state.ts'
import type { SolverInstantRefund, SolverInstantRefundRequest } from '../protocol/wire/solver.ts'
import { readAction, readAttempts } from '../store/actions/actions.ts'
import type { Database } from '../store/database/database.ts'
import { durably } from '../store/database/durably.ts'
import { addInstantRefunds } from '../store/orders/grants.ts'
import { findOrder } from '../store/orders/orders.ts'
import { commitTo, releaseLocked } from '../store/solver/commitments.ts'
import { lookAtChains } from './fill.ts'
import type { OrderContext } from './orders.ts'

/** One signature for each refund, in the same sequence. What is not certainly harmless is refused. */
export async function signInstantRefunds(
  context: OrderContext,
  orderId: string,
  request: SolverInstantRefundRequest,
): Promise<SolverInstantRefund> {
  const { db, clients, solverId } = context
  const stored = await findOrder(db, orderId)
  if (stored === null) throw new TandemError('not_found', `there is no order ${orderId}`)
  const { source } = stored.order
  const client = clientFor(clients, source.chain)
  const refunds = request.refunds.map(({ deposit, amount, to, pays }) => ({
    deposit,
    amount: BigInt(amount),
    to: client.parseAddress(to),
    pays: BigInt(pays),
  }))
  if (request.nonces.length > 0 && request.nonces.length !== refunds.length)
    throw new TandemError('bad_request', `expected a nonce for each of the ${refunds.length} refunds, got ${request.nonces.length}`)

  const state = deriveOrder(await lookAtChains(context, stored))
  assertDeposits(state, refunds)
  if (!refunds.every(({ deposit }) => maySignInstantRefund(state, deposit))) throw refusal(state)
  const signatures = sign(context, client, state, refunds, request.nonces)
  await commit(db, state, refunds)
  return { solver_id: solverId, signatures }
}

/** Made before it is written down that they exist, and released after: a nonce is used for this one answer and forgotten with it. */
function sign(
  { signer }: OrderContext,
  { chain, instantRefund }: ChainClient,
  { order }: OrderState,
  refunds: readonly InstantRefund[],
  nonces: readonly string[],
): SolverInstantRefund['signatures'] {
  if (instantRefund === undefined) throw new TandemError('bad_request', `${chain.id} knows no instant refunds`)
  const { terms } = order.source
  if (nonces.length > 0) return [...instantRefund.answer(terms, refunds, nonces, signer)]
  return refunds.map((refund) => ({ nonce: null, signature: instantRefund.sign(terms, refund, signer) }))
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

/** Durable before a signature leaves the process. From here on the playbook of this solver never pays for what it signed back. */
async function commit(db: Database, state: OrderState, refunds: readonly InstantRefund[]): Promise<void> {
  const { id } = state.order
  // What the solver itself could use to take the deposit is the service's business.
  const signed: readonly SignedInstantRefund[] = refunds.map((refund) => ({ ...refund, signature: '' }))
  // What it signed for is fixed for good, and these are not among it.
  const isHarmless = refunds.every(({ deposit }) => isStray(state, deposit))
  // Its own side was there and came back for good: it went the other way, and that way is at its end.
  const cameBack = state.destination.counted.length > 0
  await durably(db, async (tx) => {
    if (!isHarmless) await takeTheWayBack(tx, state, cameBack)
    await addInstantRefunds(tx, id, signed)
  })
}

/** Never both: whoever is about to initiate waits for the row that is written first, and then sees this way taken. */
async function takeTheWayBack(tx: Database, state: OrderState, cameBack: boolean): Promise<void> {
  const { id } = state.order
  const key = actionKey(id, 'destination', 'initiate')
  const isFree = await commitTo(tx, id, 'refund_signed')
  if ((await readAction(tx, key))?.wanted === true) throw refusal(state)
  if (cameBack) return
  // It meant to pay and never signed anything for it: out of money, or of time.
  if (!isFree && !(await releaseLocked(tx, id))) throw refusal(state)
  if ((await readAttempts(tx, key)).length > 0) throw refusal(state)
}

function refusal({ order, status }: OrderState): TandemError {
  return new TandemError('conflict', `the solver pays for order ${order.id}, or has paid: it is ${status} and cannot be given back at once`)
}
