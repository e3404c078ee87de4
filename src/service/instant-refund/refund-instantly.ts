/** PATCH ?action=instant-refund: refunds source deposits before their timelock ends. The solver signs, and then never pays for them. */
import { ChainFailure } from '../../chains/port/failure.ts'
import { clientFor } from '../../engine/facts.ts'
import { TandemError } from '../../protocol/error.ts'
import { actionKey, type InstantRefund, type SignedInstantRefund } from '../../protocol/order.ts'
import { mayRefundInstantly } from '../../protocol/playbook.ts'
import { isExpired, isStray, type OrderState } from '../../protocol/state.ts'
import type { Deposit } from '../../protocol/swap-state.ts'
import { readAttempts } from '../../store/actions/actions.ts'
import { addInstantRefunds } from '../../store/orders/grants.ts'
import type { StoredOrder } from '../../store/orders/orders.ts'
import { keepRefundProposals, readRefundProposals } from '../../store/orders/refund-proposals.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from '../orders/live-transaction.ts'
import { loadOrderState } from '../orders/load-order-state.ts'
import { checkRefundAddress, isToken, type RefundAsk, settleRefundAddress } from '../orders/refund-address.ts'
import { SolverFailure } from '../solver-client.ts'
import { combineWithSolver, type InstantRefundAbility, signWithSolver } from './sign-with-solver.ts'

export type InstantRefundAsk = RefundAsk & { readonly signatures: readonly string[] | undefined }

/** The hashes that the client must sign, one per refundable deposit; empty where the service holds the user's key. */
export async function instantRefundHashes(context: ServiceContext, stored: StoredOrder): Promise<string[]> {
  const ability = requireAbility(context, stored)
  const { clientKey, terms, userAddress } = stored.order.source
  if (!clientKey || userAddress === null) return []
  const state = await loadOrderState(context.db, context.registry, stored, context.now())
  return [...(await ability.hashes(terms, await proposalsFor(context, stored, state, ability, userAddress)))]
}

/** Returns the hash of the refund transaction. A repeated call joins the first. */
export async function refundInstantly(
  context: ServiceContext,
  stored: StoredOrder,
  ask: InstantRefundAsk,
  closing: AbortSignal,
): Promise<string> {
  const ability = requireAbility(context, stored)
  const signatures = requireSignatures(stored, ask.signatures)
  const state = await loadOrderState(context.db, context.registry, stored, context.now())
  const open = openDeposits(state, stored)
  if (open.length === 0) {
    const sent = ['refund_detected', 'refunded'].includes(state.status) ? await findLiveTransaction(context, stored, 'refund') : null
    if (sent !== null) return sent
    throw new TandemError('conflict', whyNot(state))
  }
  const to = checkRefundAddress(context, stored, ask)
  assertMayCancel(state, stored, ask, open)
  await assertAddressOpen(context, stored, to)
  const signed = stored.order.source.clientKey
    ? await signedByClient(context, stored, state, ability, { to, signatures })
    : await signedForClient(context, stored, ability, open, to)
  await context.db.transaction().execute(async (tx) => {
    await settleRefundAddress(tx, stored, to)
    if (signed.length > 0) await addInstantRefunds(tx, stored.order.id, signed)
  })
  context.wake()
  const done = new Set(state.source.deposits.flatMap(({ spend }) => (spend?.block == null ? [] : [spend.tx])))
  return awaitLiveTransaction(context, stored, 'refund', { done, closing })
}

/** Deposits that are mined, not spent in a block, and that the playbook allows to refund instantly. */
function openDeposits(state: OrderState, stored: StoredOrder): readonly Deposit[] {
  return state.source.deposits.filter(
    (deposit) =>
      deposit.block !== null &&
      deposit.spend?.block == null &&
      mayRefundInstantly(state, deposit.id) &&
      (!stored.secretSigned || isStray(state, deposit.id)),
  )
}

/**
 * App ids are public. Cancelling an order that may still complete needs the order token, so that a stranger who sends dust to it cannot
 * cancel it. Anyone may ask to refund strays and the deposits of an order that cannot complete.
 */
function assertMayCancel(state: OrderState, stored: StoredOrder, ask: InstantRefundAsk, open: readonly Deposit[]): void {
  if (state.status === 'awaiting_refund' || open.every(({ id }) => isStray(state, id)) || isToken(stored, ask.orderToken)) return
  throw new TandemError(
    'forbidden',
    `the order is ${state.status} and may still complete: cancelling it needs the order_token that POST /orders returned`,
  )
}

/** Must run before the solver signs: afterwards it never pays, so a refused address would cost the user the swap. */
async function assertAddressOpen({ db }: ServiceContext, { order, grants }: StoredOrder, to: string): Promise<void> {
  const { userAddress } = order.source
  if (userAddress === null || userAddress === to) return
  const attempts = await readAttempts(db, actionKey(order.id, 'source', 'refund'))
  if (attempts.length === 0 && !grants.some((grant) => grant.kind === 'instant-refund')) return
  throw new TandemError('conflict', `the refund address of this order cannot be changed any more: a refund to ${userAddress} is signed`)
}

function requireAbility({ clients }: ServiceContext, { order }: StoredOrder): InstantRefundAbility {
  const { instantRefund } = clientFor(clients, order.source.chain)
  if (instantRefund === undefined) throw new TandemError('bad_request', `instant refunds are not supported on ${order.source.chain}`)
  return instantRefund
}

function requireSignatures({ order }: StoredOrder, signatures: readonly string[] | undefined): readonly string[] {
  const { clientKey } = order.source
  if (signatures === undefined)
    throw new TandemError(
      'bad_request',
      `signatures is missing: expected an array, a single signature is not enough; ${clientKey ? 'one for each hash of GET /orders/{id}/instant-refund-hash' : 'here it is empty: []'}`,
    )
  if (!clientKey && signatures.length > 0)
    throw new TandemError(
      'bad_request',
      "signatures must be empty, []: the service holds the user's key of this order, so there is nothing for the client to sign",
    )
  return signatures
}

/** Keeps earlier proposals, because the client may have signed them. Leaves expired or uneconomic deposits to the refund package. */
async function proposalsFor(
  { db }: ServiceContext,
  stored: StoredOrder,
  state: OrderState,
  ability: InstantRefundAbility,
  to: string,
): Promise<readonly InstantRefund[]> {
  const { id, source } = stored.order
  const open = openDeposits(state, stored)
  const known = (await readRefundProposals(db, id)).filter((refund) => refund.to === to)
  const fresh = open.filter((deposit) => !known.some((refund) => refund.deposit === deposit.id))
  if (fresh.length > 0) await keepRefundProposals(db, id, await proposeEconomic(ability, stored, fresh, to))
  const proposals = await readRefundProposals(db, id)
  // In the order of the deposits in the API.
  return source.userAddress === null
    ? []
    : open.flatMap(({ id: deposit }) => proposals.filter((refund) => refund.deposit === deposit && refund.to === to))
}

async function proposeEconomic(
  ability: InstantRefundAbility,
  { order }: StoredOrder,
  deposits: readonly Deposit[],
  to: string,
): Promise<readonly InstantRefund[]> {
  try {
    return await ability.propose(order.source.terms, { deposits, to }, order.source.clientKey ? 'apart' : 'together')
  } catch (error) {
    if (error instanceof ChainFailure && error.kind === 'uneconomic') return []
    throw error
  }
}

/** Verifies all client signatures before it asks the solver: once the solver has signed, it never pays. */
async function signedByClient(
  context: ServiceContext,
  stored: StoredOrder,
  state: OrderState,
  ability: InstantRefundAbility,
  { to, signatures }: { readonly to: string; readonly signatures: readonly string[] },
): Promise<readonly SignedInstantRefund[]> {
  const refunds = await proposalsFor(context, stored, state, ability, to)
  if (signatures.length !== refunds.length || refunds.length === 0)
    throw new TandemError(
      'bad_request',
      `expected ${refunds.length} signatures, one for each hash of GET /orders/{id}/instant-refund-hash in that sequence, got ${signatures.length}`,
    )
  for (const [index, refund] of refunds.entries())
    await verifyClientSignature(index, () => ability.verifyInitiatorSignature(stored.order.source.terms, refund, signatures[index] ?? ''))
  return relayed(context, stored, () => combineWithSolver(context, stored, ability, refunds, signatures))
}

/** The family says what is wrong with a signature; we say which one it is. */
async function verifyClientSignature(index: number, verify: () => Promise<void>): Promise<void> {
  try {
    await verify()
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    const which = `signatures[${index}], for hash ${index} of GET /orders/{id}/instant-refund-hash`
    throw new TandemError(error.code, `${which}: ${error.message}`, { cause: error })
  }
}

/** Asks the solver to sign for deposits without a signed instant refund. Leaves expired or uneconomic ones to the refund after the timelock. */
async function signedForClient(
  context: ServiceContext,
  stored: StoredOrder,
  ability: InstantRefundAbility,
  open: readonly Deposit[],
  to: string,
): Promise<readonly SignedInstantRefund[]> {
  const granted = stored.grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : []))
  const fresh = open.filter((deposit) => !isExpired(deposit) && !granted.some((refund) => refund.deposit === deposit.id))
  if (fresh.length === 0) return []
  const refunds = await proposeEconomic(ability, stored, fresh, to)
  if (refunds.length === 0) {
    if (fresh.length < open.length) return []
    throw new TandemError(
      'conflict',
      'uneconomic: the deposit is not worth the fee of an instant refund; it is refunded after its timelock',
    )
  }
  return relayed(context, stored, () => signWithSolver(context, stored, ability, refunds))
}

async function relayed(
  { log }: ServiceContext,
  { order }: StoredOrder,
  ask: () => Promise<readonly SignedInstantRefund[]>,
): Promise<readonly SignedInstantRefund[]> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof SolverFailure)) throw error
    log.warn({ solver: order.solverId, order: order.id, err: error }, 'the solver did not sign an instant refund')
    throw new TandemError('chain_unavailable', 'the solver of this order did not give its signature; try again, or wait for the timelock', {
      cause: error,
    })
  }
}

function whyNot({ source, order, status }: OrderState): string {
  if (source.deposits.length === 0) return `there is nothing to refund: no deposit was seen at ${order.source.swapId}`
  if (source.deposits.some((deposit) => deposit.block !== null && deposit.spend?.block == null))
    return `the deposit cannot be refunded instantly: the order is ${status}, and the deposit pays for it`
  if (source.deposits.some((deposit) => deposit.block === null))
    return 'the deposit has no block yet: it can be refunded instantly once it is mined'
  return `there is nothing to refund: the order is ${status}`
}
