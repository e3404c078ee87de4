/** PATCH ?action=instant-refund: source deposits go back before their timelock ends, if the solver signs that it will not pay for them. */
import { type ChainClient, ChainFailure } from '../../chains/family.ts'
import { clientFor } from '../../engine/facts.ts'
import { TandemError } from '../../protocol/error.ts'
import type { InstantRefund, SignedInstantRefund } from '../../protocol/order.ts'
import { mayGiveBack } from '../../protocol/playbook.ts'
import { isExpired, type OrderState } from '../../protocol/state.ts'
import type { Deposit } from '../../protocol/swap-state.ts'
import { addInstantRefunds } from '../../store/grants.ts'
import type { StoredOrder } from '../../store/orders.ts'
import type { ServiceContext } from '../context.ts'
import { SolverFailure } from '../solver-client.ts'
import { awaitLiveTransaction, findLiveTransaction } from './live-transaction.ts'
import { loadOrderState } from './load-order-state.ts'
import { checkRefundAddress, isToken, type RefundAsk, settleRefundAddress } from './refund-address.ts'

type Ability = NonNullable<ChainClient['instantRefund']>

export type InstantRefundAsk = RefundAsk & { readonly signatures: readonly string[] | undefined }

/** What the client has to sign: nothing, for the service holds the user's key of every order on the chains that can do this. */
export function instantRefundHashes(context: ServiceContext, stored: StoredOrder): string[] {
  requireAbility(context, stored)
  return []
}

/** The hash of the transaction that gives the deposits back. A repeated call joins the first. */
export async function refundInstantly(
  context: ServiceContext,
  stored: StoredOrder,
  ask: InstantRefundAsk,
  closing: AbortSignal,
): Promise<string> {
  const ability = requireAbility(context, stored)
  assertNothingSigned(ask.signatures)
  const state = await loadOrderState(context.db, context.registry, stored, context.now())
  const open = state.source.deposits.filter((deposit) => deposit.block !== null && deposit.spend?.block == null)
  if (open.length === 0 || stored.secretReleased || !mayGiveBack(state)) {
    const sent = ['refund_detected', 'refunded'].includes(state.status) ? await findLiveTransaction(context, stored, 'refund') : null
    if (sent !== null) return sent
    throw new TandemError('conflict', whyNot(state, open))
  }
  const to = checkRefundAddress(context, stored, ask)
  assertMayCancel(state, stored, ask)
  const signed = await askSolver(context, stored, ability, { open, to })
  await context.db.transaction().execute(async (tx) => {
    await settleRefundAddress(tx, stored, to)
    if (signed.length > 0) await addInstantRefunds(tx, stored.order.id, signed)
  })
  context.wake()
  const done = new Set(state.source.deposits.flatMap(({ spend }) => (spend?.block == null ? [] : [spend.tx])))
  return awaitLiveTransaction(context, stored, 'refund', { done, closing })
}

/**
 * An app id is no secret, so a swap that may still complete, be it after another deposit, is cancelled only for whoever made it: a stranger's
 * dust must not spoil it. What cannot complete goes back for anyone.
 */
function assertMayCancel({ status }: OrderState, stored: StoredOrder, ask: InstantRefundAsk): void {
  if (status === 'awaiting_refund' || isToken(stored, ask.orderToken)) return
  throw new TandemError(
    'forbidden',
    `the order is ${status} and may still complete: cancelling it needs the order_token that POST /orders returned`,
  )
}

function requireAbility({ clients }: ServiceContext, { order }: StoredOrder): Ability {
  const { instantRefund } = clientFor(clients, order.source.chain)
  if (instantRefund === undefined)
    throw new TandemError('bad_request', `instant refunds are for Bitcoin-family sources, and not supported on ${order.source.chain}`)
  return instantRefund
}

function assertNothingSigned(signatures: readonly string[] | undefined): void {
  if (signatures === undefined)
    throw new TandemError('bad_request', 'signatures is missing: expected an array, a single signature is not enough; here it is empty: []')
  if (signatures.length > 0)
    throw new TandemError(
      'bad_request',
      "signatures must be empty, []: the service holds the user's key of this order, so there is nothing for the client to sign",
    )
}

/** What the solver signs of what it has not signed before. Of what is expired, or not worth its fee, the ordinary refund takes care. */
async function askSolver(
  context: ServiceContext,
  stored: StoredOrder,
  ability: Ability,
  { open, to }: { readonly open: readonly Deposit[]; readonly to: string },
): Promise<readonly SignedInstantRefund[]> {
  const granted = stored.grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : []))
  const isGranted = ({ id }: Deposit) => granted.some(({ deposit }) => deposit === id)
  const fresh = open.filter((deposit) => !isExpired(deposit) && !isGranted(deposit))
  if (fresh.length === 0) return []
  try {
    return await sign(context, stored, ability, await ability.propose(stored.order.source.terms, { deposits: fresh, to }))
  } catch (error) {
    if (error instanceof ChainFailure && error.kind === 'would-fail') {
      if (fresh.length < open.length) return []
      throw new TandemError('conflict', `${error.message}; it is refunded after its timelock`, { cause: error })
    }
    throw error
  }
}

async function sign(
  { solvers, log }: ServiceContext,
  { order }: StoredOrder,
  ability: Ability,
  refunds: readonly InstantRefund[],
): Promise<readonly SignedInstantRefund[]> {
  try {
    const solver = solvers.find(({ id }) => id === order.solverId)
    if (solver === undefined) throw new SolverFailure(`solver ${order.solverId} is not configured`)
    const request = refunds.map((refund) => ({ ...refund, amount: refund.amount.toString(), pays: refund.pays.toString() }))
    const { signatures } = await solver.instantRefund(order.id, { refunds: request })
    if (signatures.length !== refunds.length)
      throw new SolverFailure(`solver ${solver.id} signed ${signatures.length} refunds of ${refunds.length}`)
    const signed = refunds.map((refund, index) => ({ ...refund, signature: signatures[index] ?? '' }))
    for (const refund of signed) {
      if (!(await ability.verify(order.source.terms, refund)))
        throw new SolverFailure(`solver ${solver.id} gave a signature that is not one for ${refund.deposit}`)
    }
    return signed
  } catch (error) {
    if (!(error instanceof SolverFailure)) throw error
    log.warn({ solver: order.solverId, order: order.id, err: error }, 'no signatures for an instant refund')
    throw new TandemError('chain_unavailable', 'the solver of this order did not give its signature; try again, or wait for the timelock', {
      cause: error,
    })
  }
}

function whyNot({ source, order, status }: OrderState, open: readonly Deposit[]): string {
  if (source.deposits.length === 0) return `there is nothing to refund: no deposit was seen at ${order.source.swapId}`
  if (open.length > 0) return `the deposit cannot be given back at once: the order is ${status}, and the deposit pays for it`
  if (source.deposits.some((deposit) => deposit.block === null))
    return 'the deposit has no block yet: it can be given back once it is mined'
  return `there is nothing to refund: the order is ${status}`
}
