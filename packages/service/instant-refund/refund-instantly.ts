/** PATCH ?action=instant-refund refunds source deposits before their timelock ends. The solver signs, and then never pays for them. */
import type { CosignedRefund } from '@tandem/chain-kit/port/abilities/cosigned-refund.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { Limit } from '@tandem/party/engine/signing-limit.ts'
import type { OrderSnapshot, StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { keepRefundProposals, readRefundProposals } from '@tandem/party/store/orders/refund-proposals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from '../orders/live-transaction.ts'
import { checkRefundAddress, isToken, type RefundRequest, settleRefundAddress } from '../orders/refund-address.ts'
import { requireSnapshot } from '../orders/view.ts'
import { openDeposits, planOpen, proposeEconomic, type RefundPlan, requireAbility, stateOf, whyNot } from './plan-refund.ts'
import {
  combineWithSolver,
  createRefundStore,
  type InstantRefundAbility,
  refuseIfSolverFails,
  signExclusively,
  signInParts,
} from './sign-with-solver.ts'

/** A call waits this long while another process signs for the same order. */
const SIGNING_WAIT_MS = 10_000
/** The description of PATCH /orders/{id} states this number. */
const SIGNINGS_PER_MINUTE = 10
const MAX_JOINED = 3

export type InstantRefundRequest = RefundRequest & { readonly signatures: readonly string[] | undefined }

/** The client must sign one hash per refundable deposit. The list is empty where the service holds the user's key. */
export async function instantRefundHashes(context: ServiceContext, snapshot: OrderSnapshot): Promise<readonly string[]> {
  const { stored } = snapshot
  const ability = requireAbility(context, stored)
  const { clientKey, terms, userAddress } = stored.order.source
  if (!clientKey || userAddress === null) return []
  return requireCosigning(context, stored).hashes(
    terms,
    await proposalsFor(context, stored, stateOf(context, snapshot), ability, userAddress),
  )
}

/** Returns the hash of the refund transaction. A repeated call joins the first, uses the stored signatures, and costs two statements. */
export async function refundInstantly(
  context: ServiceContext,
  snapshot: OrderSnapshot,
  ask: InstantRefundRequest,
  closing: AbortSignal,
): Promise<string> {
  const { stored } = snapshot
  const { id } = stored.order
  const ability = requireAbility(context, stored)
  requireSignatures(stored, ask.signatures)
  const plan = await planRefund(context, ability, snapshot, ask)
  if (plan.kind === 'sent') return plan.tx
  const done = new Set(plan.state.source.deposits.flatMap(({ spend }) => (spend?.block == null ? [] : [spend.tx])))
  const hasChanged = await storeRefund(context, ability, { id, ask, plan, stored })
  if (hasChanged) context.wake()
  return awaitLiveTransaction(context, stored, 'refund', { done, closing })
}

type Wanted = {
  readonly id: string
  readonly ask: InstantRefundRequest
  readonly plan: Plan
  readonly stored: StoredOrder
}

/** Signs the unsigned refunds, or waits until another call has signed them. Returns false if this call had nothing to store. */
async function storeRefund(context: ServiceContext, ability: InstantRefundAbility, first: Wanted): Promise<boolean> {
  const { db, signingLimit } = context
  const { id, ask } = first
  let { plan, stored } = first
  for (let joined = 0; ; joined += 1) {
    if (plan.kind === 'sent') return false
    const { to } = plan
    if (plan.unsigned.length === 0) {
      if (to === stored.order.source.userAddress) return false
      await db.transaction().execute((tx) => settleRefundAddress(context, tx, stored, to))
      return true
    }
    signingLimit.check(limitOf(stored, ask))
    if (joined > MAX_JOINED) throw busy()
    const result = await signExclusively(db, id, SIGNING_WAIT_MS, () => signAndStore(context, ability, id, ask))
    if (result === 'busy') throw busy()
    if (result === 'done') return true
    const again = await requireSnapshot(context, id)
    stored = again.stored
    plan = await planRefund(context, ability, again, ask)
  }
}

function busy(): TandemError {
  return new TandemError('conflict', 'another call is signing an instant refund of this order; repeat this call to join it')
}

/** Repeats that need no new signature are not counted. The holder of the order token has a limit of its own, so strangers cannot use it up. */
function limitOf(stored: StoredOrder, { orderToken }: InstantRefundRequest): Limit {
  const asker = isToken(stored, orderToken) ? 'token holder' : 'anyone'
  return {
    name: `${stored.order.id} ${asker}`,
    perMinute: SIGNINGS_PER_MINUTE,
    what: `instant refunds of this order were signed ${SIGNINGS_PER_MINUTE} times in a minute`,
  }
}

type Plan = { readonly kind: 'sent'; readonly tx: string } | RefundPlan

async function planRefund(
  context: ServiceContext,
  ability: InstantRefundAbility,
  snapshot: OrderSnapshot,
  ask: InstantRefundRequest,
): Promise<Plan> {
  const { stored } = snapshot
  const state = stateOf(context, snapshot)
  const open = openDeposits(state, stored)
  // This check comes before all errors about deposits: a caller who may not set the address must learn that first.
  if (ask.address !== null) checkRefundAddress(context, stored, ask)
  if (open.length === 0) {
    const tx = ['refund_detected', 'refunded'].includes(state.status) ? await findLiveTransaction(context, stored, 'refund') : null
    if (tx !== null) return { kind: 'sent', tx }
    throw new TandemError('conflict', whyNot(state))
  }
  const to = checkRefundAddress(context, stored, ask)
  return planOpen(context, ability, stored, state, { open, to, isTokenHolder: isToken(stored, ask.orderToken) })
}

/** The order is read again, because an earlier holder of the lock may have signed already. */
async function signAndStore(
  context: ServiceContext,
  ability: InstantRefundAbility,
  id: string,
  ask: InstantRefundRequest,
): Promise<'done'> {
  const { db, signingLimit } = context
  const snapshot = await requireSnapshot(context, id)
  const { stored } = snapshot
  const plan = await planRefund(context, ability, snapshot, ask)
  if (plan.kind === 'sent') return 'done'
  const { to } = plan
  if (plan.unsigned.length === 0) {
    await db.transaction().execute((tx) => settleRefundAddress(context, tx, stored, to))
    return 'done'
  }
  await signingLimit.count(limitOf(stored, ask))
  const { clientKey, userAddress: from } = stored.order.source
  if (clientKey) await signForClient(context, stored, ability, plan, requireSignatures(stored, ask.signatures))
  else await context.signRefunds({ orderId: id, from, to, isTokenHolder: isToken(stored, ask.orderToken) })
  return 'done'
}

function requireCosigning({ clients }: ServiceContext, { order }: StoredOrder): CosignedRefund {
  const { cosignedRefund } = clientFor(clients, order.source.chain)
  if (cosignedRefund === undefined) throw new Error(`${order.source.chain}: the client's key signs no refund there`)
  return cosignedRefund
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

/** Earlier proposals are kept, because the client may have signed them. Expired or uneconomic deposits are left to the refund package. */
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
  // The result has the order of the deposits in the API.
  return source.userAddress === null
    ? []
    : open.flatMap(({ id: deposit }) => proposals.filter((refund) => refund.deposit === deposit && refund.to === to))
}

/**
 * This signs where the client holds the key. It verifies all signatures of the client before it asks the solver: once the solver has
 * signed, it never pays. The caller has counted the signing, because checking signatures is expensive too.
 */
async function signForClient(
  context: ServiceContext,
  stored: StoredOrder,
  ability: InstantRefundAbility,
  { state, unsigned, to }: RefundPlan,
  signatures: readonly string[],
): Promise<void> {
  const cosigning = requireCosigning(context, stored)
  const refunds = await proposalsFor(context, stored, state, ability, to)
  if (signatures.length !== refunds.length || refunds.length === 0)
    throw new TandemError(
      'bad_request',
      `expected ${refunds.length} signatures, one for each hash of GET /orders/{id}/instant-refund-hash in that sequence, got ${signatures.length}`,
    )
  const pairs = refunds.map((refund, index) => ({ refund, index, signature: signatures[index] ?? '' }))
  const fresh = pairs.filter(({ refund }) => unsigned.some(({ id }) => id === refund.deposit))
  for (const { refund, index, signature } of fresh)
    await verifyClientSignature(index, () => cosigning.verifyInitiatorSignature(stored.order.source.terms, refund, signature))
  await signInParts(
    fresh,
    (part) =>
      refuseIfSolverFails(context, stored, () =>
        combineWithSolver(
          context,
          stored,
          ability,
          part.map(({ refund }) => refund),
          part.map(({ signature }) => signature),
        ),
      ),
    createRefundStore(context, stored, to),
  )
}

/** The family says what is wrong with a signature. This adds which one it is. */
async function verifyClientSignature(index: number, verify: () => Promise<void>): Promise<void> {
  try {
    await verify()
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    const which = `signatures[${index}], for hash ${index} of GET /orders/{id}/instant-refund-hash`
    throw new TandemError(error.code, `${which}: ${error.message}`, { cause: error })
  }
}
