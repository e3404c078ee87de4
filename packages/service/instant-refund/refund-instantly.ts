/** PATCH ?action=instant-refund refunds source deposits before their timelock ends. The solver signs, and then never pays for them. */
import type { CosignedRefund } from '@tandem/chain-kit/port/abilities/cosigned-refund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor, factsOf } from '@tandem/party/engine/facts.ts'
import type { Limit } from '@tandem/party/engine/signing-limit.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { addInstantRefunds } from '@tandem/party/store/orders/grants.ts'
import type { OrderSnapshot, StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { keepRefundProposals, readRefundProposals } from '@tandem/party/store/orders/refund-proposals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey, type InstantRefund, type SignedInstantRefund } from '@tandem/protocol/order.ts'
import { mayRefundInstantly } from '@tandem/protocol/playbook.ts'
import { deriveOrder, isExpired, isStray, type OrderState } from '@tandem/protocol/state.ts'
import type { Deposit } from '@tandem/protocol/swap-state.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from '../orders/live-transaction.ts'
import { checkRefundAddress, isToken, type RefundRequest, settleRefundAddress } from '../orders/refund-address.ts'
import { requireSnapshot } from '../orders/view.ts'
import { SolverFailure } from '../solver-client.ts'
import { combineWithSolver, type InstantRefundAbility, signExclusively, signInParts, signWithSolver } from './sign-with-solver.ts'

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

function stateOf({ registry, now }: ServiceContext, snapshot: OrderSnapshot): OrderState {
  return deriveOrder(factsOf(registry, snapshot, now()))
}

type Plan = { readonly kind: 'sent'; readonly tx: string } | RefundPlan

type RefundPlan = {
  readonly kind: 'refund'
  readonly state: OrderState
  /** These deposits need a signature. Signed ones are left out; where the service holds the key, so are expired and uneconomic ones. */
  readonly unsigned: readonly Deposit[]
  /** These are the refunds of `unsigned`, where the service holds the user's key. */
  readonly refunds: readonly InstantRefund[]
  readonly to: string
}

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
  assertMayCancel(state, stored, ask, open)
  await assertAddressOpen(context, stored, to)
  const granted = new Set(
    stored.grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : [])).map((one) => one.deposit),
  )
  const unsigned = open.filter(({ id }) => !granted.has(id))
  if (stored.order.source.clientKey) return { kind: 'refund', state, unsigned, refunds: [], to }
  // Expired and uneconomic deposits are left to the refund after the timelock.
  const fresh = unsigned.filter((deposit) => !isExpired(deposit))
  const refunds = fresh.length === 0 ? [] : await proposeEconomic(ability, stored, fresh, to)
  if (refunds.length === 0 && fresh.length === open.length)
    throw new TandemError(
      'conflict',
      'uneconomic: the deposit is not worth the fee of an instant refund; it is refunded after its timelock',
    )
  return { kind: 'refund', state, unsigned: refunds.length === 0 ? [] : fresh, refunds, to }
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
  let owner = stored
  /** The first part sets the address; all further parts expect it. */
  const store = async (signed: readonly SignedInstantRefund[]) => {
    owner = await db.transaction().execute(async (tx) => {
      const settled = await settleRefundAddress(context, tx, owner, to)
      if (signed.length > 0) await addInstantRefunds(tx, id, signed)
      return settled
    })
  }
  if (plan.unsigned.length === 0) {
    await store([])
    return 'done'
  }
  await signingLimit.count(limitOf(stored, ask))
  if (stored.order.source.clientKey) await signForClient(context, stored, ability, plan, requireSignatures(stored, ask.signatures), store)
  else
    await signInParts(
      plan.refunds,
      (part) => refuseIfSolverFails(context, stored, () => signWithSolver(context, stored, ability, part)),
      store,
    )
  return 'done'
}

/** Returns the deposits that are mined, unspent in blocks, and that the playbook allows to refund instantly. */
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
 * App ids are public. Cancelling an order that may still complete needs the order token, so that a stranger who sends dust to the order
 * cannot cancel it. Anyone may ask to refund strays and the deposits of an order that cannot complete.
 */
function assertMayCancel(state: OrderState, stored: StoredOrder, ask: InstantRefundRequest, open: readonly Deposit[]): void {
  if (state.status === 'awaiting_refund' || open.every(({ id }) => isStray(state, id)) || isToken(stored, ask.orderToken)) return
  throw new TandemError(
    'forbidden',
    `the order is ${state.status} and may still complete: cancelling it needs the order_token that POST /orders returned`,
  )
}

/** This check must run before the solver signs. Afterwards the solver never pays, so a refused address would cost the user the swap. */
async function assertAddressOpen({ db }: ServiceContext, { order, grants }: StoredOrder, to: string): Promise<void> {
  const { userAddress } = order.source
  if (userAddress === null || userAddress === to) return
  const attempts = await readAttempts(db, actionKey(order.id, 'source', 'refund'))
  if (attempts.length === 0 && !grants.some((grant) => grant.kind === 'instant-refund')) return
  throw new TandemError('conflict', `the refund address of this order cannot be changed any more: a refund to ${userAddress} is signed`)
}

function requireAbility({ clients }: ServiceContext, { order }: StoredOrder): InstantRefundAbility {
  const { instantRefund } = clientFor(clients, order.source.chain)
  if (instantRefund === undefined)
    throw new TandemError(
      'bad_request',
      `instant refunds are not supported on ${order.source.chain}: a deposit that does not complete is refunded after its timelock, without a call`,
    )
  return instantRefund
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
  store: (signed: readonly SignedInstantRefund[]) => Promise<void>,
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
    store,
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

async function refuseIfSolverFails(
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
