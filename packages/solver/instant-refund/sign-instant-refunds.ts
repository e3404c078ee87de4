/** Signs the solver's part of an instant refund: for strays at any time, for other deposits only if the solver will never pay for them. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { RollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import type { Limit } from '@tandem/party/engine/signing-limit.ts'
import { readAction } from '@tandem/party/store/actions/actions.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { withLease } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { durably } from '@tandem/party/store/database/durably.ts'
import { addInstantRefunds } from '@tandem/party/store/orders/grants.ts'
import { commitTo, releaseLocked } from '@tandem/party/store/solver/commitments.ts'
import { findOrderRisk } from '@tandem/party/store/solver/order-risks.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import { actionKey, type InstantRefund, type SignedInstantRefund } from '@tandem/protocol/order.ts'
import { maySignInstantRefund } from '@tandem/protocol/playbook.ts'
import { isStray, type OrderState } from '@tandem/protocol/state.ts'
import type { SolverInstantRefund, SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'
import type { Caller } from '../authenticate.ts'
import { type OrderContext, requireOwnOrder } from '../orders.ts'
import { assertNotContradicted, orNotSigned, orUnavailable, readProven } from '../read-live-facts.ts'

/** A request waits for this long while another process signs for the same order. */
const LEASE_WAIT_MS = 5_000

/**
 * The limits are per minute. A service is not trusted: one order may use three times what it can need, all orders of a service about half
 * of a CPU core. Services do not share a limit.
 */
const MAX_SIGNATURES_PER_ORDER = 300
const MAX_SIGNATURES_PER_SERVICE = 3_000

/** Requests of one order run one at a time. Every refund that could cost the solver money is refused. */
export async function signInstantRefunds(
  context: OrderContext,
  orderId: string,
  request: SolverInstantRefundRequest,
  caller: Caller,
): Promise<SolverInstantRefund> {
  const { db, solverId, signingLimit, keptAnswers } = context
  // This comes first: a service must not get the answers for another service, nor delay its requests.
  await requireOwnOrder(context, orderId, caller)
  const kept = keptAnswers.find(orderId, request)
  if (kept !== null) return { solver_id: solverId, answer: kept }
  for (const limit of limitsOf(orderId, caller)) signingLimit.check(limit)
  const answer = await withLease(db, `answer instant refund ${orderId}`, LEASE_WAIT_MS, () =>
    signUnderLease(context, orderId, request, caller),
  )
  if (answer === null) throw new TandemError('chain_unavailable', `another instant refund of order ${orderId} is signed now; try again`)
  keptAnswers.keep(orderId, request, answer)
  return { solver_id: solverId, answer }
}

/** The limit of the order comes first, so that requests which it refuses do not use up the limit of the service. */
function limitsOf(orderId: string, { service }: Caller): readonly Limit[] {
  return [
    {
      name: `instant refund ${orderId}`,
      perMinute: MAX_SIGNATURES_PER_ORDER,
      what: `more than ${MAX_SIGNATURES_PER_ORDER} signatures for order ${orderId} in a minute`,
    },
    {
      name: `instant refunds of ${service}`,
      perMinute: MAX_SIGNATURES_PER_SERVICE,
      what: `more than ${MAX_SIGNATURES_PER_SERVICE} signatures for instant refunds in a minute`,
    },
  ]
}

async function signUnderLease(
  context: OrderContext,
  orderId: string,
  request: SolverInstantRefundRequest,
  caller: Caller,
): Promise<string> {
  const { db, clients, signingLimit, keptAnswers, guard } = context
  const kept = keptAnswers.find(orderId, request)
  if (kept !== null) return kept
  const stored = await requireOwnOrder(context, orderId, caller)
  const { source } = stored.order
  const client = clientFor(clients, source.chain)
  const refunds = request.refunds.map(({ deposit, amount, to, pays }) => ({
    deposit,
    amount: BigInt(amount),
    to: client.text.parseAddress(to),
    pays: BigInt(pays),
  }))
  // The limits are checked before the chains are read, which is expensive too.
  for (const limit of limitsOf(orderId, caller)) await signingLimit.count(limit, refunds.length)
  const deposits = refunds.map(({ deposit }) => deposit)
  const prove = (how = {}) =>
    readProven(
      context,
      stored,
      { signing: 'instant refund', legs: ['source', 'destination'], htlcsOf: ['destination'], finality: true, deposits },
      how,
    )
  const recent = await prove()
  // The service may be a block ahead of our last poll.
  const proven = areMined(recent.state, refunds) && !recent.isContradicted ? recent : await prove({ acceptedAgeMs: 0 })
  const { state } = proven
  assertDeposits(state, refunds)
  assertNotContradicted(proven)
  assertOwnFill(client, state, refunds)
  if (!refunds.every(({ deposit }) => maySignInstantRefund(state, deposit))) throw refusal(state)
  await assertNotWithheld(context, state, refunds)
  const unsafe = await guard.whyUnsafe(state)
  if (unsafe !== null) throw new TandemError('conflict', unsafe)
  assertNotLocked(guard, state, refunds)
  const answer = await sign(context, client, state, refunds, request.offer)
  const isCommitted = await commit(db, state, refunds)
  await guard.note({ ...(isCommitted && { refund: orderId }), order: orderId, deposits: refunds.map(({ deposit }) => deposit) })
  return answer
}

/**
 * A client that kept its secret until the solver's payment was refunded could watch the price all that time. An instant refund would make
 * that free for it, so a large deposit is refunded only after its timelock.
 */
async function assertNotWithheld({ db, risk }: OrderContext, state: OrderState, refunds: readonly InstantRefund[]): Promise<void> {
  const isWithheld = state.clientSecret && state.destination.counted.length > 0 && !refunds.every(({ deposit }) => isStray(state, deposit))
  if (!isWithheld || risk.refundsWithheld((await findOrderRisk(db, state.order.id))?.usdMicros ?? 0n)) return
  throw new TandemError('conflict', 'the client kept its secret until the payment was refunded: the deposit is refunded after its timelock')
}

/** The caller records the signature before it answers. A signing nonce never outlives this call. */
async function sign(
  { keys }: OrderContext,
  client: ChainClient,
  { order }: OrderState,
  refunds: readonly InstantRefund[],
  offer: string | null,
): Promise<string> {
  const { chain, instantRefund, cosignedRefund } = client
  if (instantRefund === undefined) throw new TandemError('bad_request', `${chain.id} does not support instant refunds`)
  const { terms } = order.source
  const purpose = orderPurpose(chain.id, { order: order.id, leg: 'source', verb: 'instant-refund', terms })
  const signer = keys.of(client).signerFor(purpose)
  if (offer === null) return orUnavailable(instantRefund.sign(terms, refunds, signer))
  if (cosignedRefund === undefined) throw new TandemError('bad_request', `on ${chain.id} the initiator signs no refund: offer must be null`)
  return orNotSigned(cosignedRefund.answer(terms, refunds, offer, signer))
}

function areMined({ source }: OrderState, refunds: readonly InstantRefund[]): boolean {
  const mined = new Set(source.deposits.filter(({ block }) => block !== null).map(({ id }) => id))
  return refunds.every(({ deposit }) => mined.has(deposit))
}

/** Each refund must spend a mined, unspent deposit of this source, with the right amount, and be listed once. */
function assertDeposits({ source }: OrderState, refunds: readonly InstantRefund[]): void {
  const names = new Set(refunds.map(({ deposit }) => deposit))
  if (names.size !== refunds.length) throw new TandemError('bad_request', 'a deposit is listed more than once')
  for (const { deposit, amount, pays } of refunds) {
    const found = source.deposits.find(({ id }) => id === deposit)
    if (found === undefined) throw new TandemError('conflict', `the solver sees no deposit ${deposit} to this order`)
    if (found.block === null) throw new TandemError('conflict', `the solver sees no block with the deposit ${deposit} yet`)
    if (found.spend?.block != null) throw new TandemError('conflict', `the deposit ${deposit} is spent`)
    if (found.amount !== amount) throw new TandemError('bad_request', `the deposit ${deposit} is ${found.amount}, not ${amount}`)
    if (pays > amount) throw new TandemError('bad_request', `the deposit ${deposit} cannot pay ${pays}`)
  }
}

/** Strays are the deposits that the solver did not sign for. The solver's own signature must prove which those are, not a row. */
function assertOwnFill({ partialDeposits }: ChainClient, state: OrderState, refunds: readonly InstantRefund[]): void {
  const { order, fill } = state
  if (fill === null || !refunds.some(({ deposit }) => isStray(state, deposit))) return
  if (fill.signature === null || partialDeposits?.verifyFill(order.source.terms, order.id, fill, fill.signature) !== true)
    throw new TandemError('conflict', `the solver did not sign for the deposits that are on record for order ${order.id}`)
}

/** The release log names every signed payment, also a lost one. It may be mined at any time, unless the chain shows its refund. */
function assertNotLocked(guard: RollbackGuard, state: OrderState, refunds: readonly InstantRefund[]): void {
  if (refunds.every(({ deposit }) => isStray(state, deposit))) return
  const { id, destination } = state.order
  const isOver = (lock: SwapId) => lock === destination.swapId && state.destination.counted.length > 0
  if (!guard.locksOf(actionKey(id, 'destination', 'initiate')).every(isOver)) throw refusal(state)
}

/**
 * The commitment must be durable before a signature leaves the process: after it the solver never pays for these deposits. Returns whether
 * it committed to a refund.
 */
async function commit(db: Database, state: OrderState, refunds: readonly InstantRefund[]): Promise<boolean> {
  const { id } = state.order
  // The signature is not stored, because the service broadcasts the refund.
  const signed: readonly SignedInstantRefund[] = refunds.map((refund) => ({ ...refund, signature: '' }))
  // The signed fill never contains strays.
  const areAllStrays = refunds.every(({ deposit }) => isStray(state, deposit))
  // The solver initiated the destination, and its refund is final: the payment is over.
  const isRefundedToSolver = state.destination.counted.length > 0
  await durably(db, async (tx) => {
    if (!areAllStrays) await commitToRefund(tx, state, isRefundedToSolver)
    await addInstantRefunds(tx, id, signed)
  })
  return !areAllStrays && !isRefundedToSolver
}

/** The solver pays or refunds, never both: a concurrent initiation waits for this row's lock, and then sees that a refund is signed. */
async function commitToRefund(tx: Database, state: OrderState, isRefundedToSolver: boolean): Promise<void> {
  const { id } = state.order
  const key = actionKey(id, 'destination', 'initiate')
  const isFree = await commitTo(tx, id, 'refund_signed')
  // After a decline the action stays wanted until the order is reconciled.
  if (state.declined === null && (await readAction(tx, key))?.wanted === true) throw refusal(state)
  if (isRefundedToSolver) return
  // The solver committed to pay but signed no payment (no inventory, or no time left): that commitment is released.
  if (!isFree && !(await releaseLocked(tx, id))) throw refusal(state)
  if ((await readAttempts(tx, key)).length > 0) throw refusal(state)
}

function refusal({ order, status }: OrderState): TandemError {
  return new TandemError('conflict', `the solver pays for order ${order.id}, or has paid: it is ${status} and cannot be refunded instantly`)
}
