/** Which deposits an instant refund on request returns. The API plans to answer the caller, and the engine again before it signs. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor, factsOf } from '@tandem/party/engine/facts.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import type { OrderSnapshot, StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey, type InstantRefund } from '@tandem/protocol/order.ts'
import { mayRefundInstantly } from '@tandem/protocol/playbook.ts'
import { deriveOrder, isExpired, isStray, type OrderState } from '@tandem/protocol/state.ts'
import type { Deposit } from '@tandem/protocol/swap-state.ts'
import type { ServiceContext } from '../context.ts'
import type { InstantRefundAbility } from './sign-with-solver.ts'

export type RefundPlan = {
  readonly kind: 'refund'
  readonly state: OrderState
  /** These deposits need a signature. Signed ones are left out; where the service holds the key, so are expired and uneconomic ones. */
  readonly unsigned: readonly Deposit[]
  /** These are the refunds of `unsigned`, where the service holds the user's key. */
  readonly refunds: readonly InstantRefund[]
  readonly to: string
}

export function stateOf({ registry, now }: Pick<ServiceContext, 'registry' | 'now'>, snapshot: OrderSnapshot): OrderState {
  return deriveOrder(factsOf(registry, snapshot, now()))
}

type Asked = { readonly open: readonly Deposit[]; readonly to: string; readonly isTokenHolder: boolean }

/** The caller has checked that the refund may go to this address. */
export async function planOpen(
  { db }: Pick<ServiceContext, 'db'>,
  ability: InstantRefundAbility,
  stored: StoredOrder,
  state: OrderState,
  { open, to, isTokenHolder }: Asked,
): Promise<RefundPlan> {
  assertMayCancel(state, isTokenHolder, open)
  await assertAddressOpen(db, stored, to)
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

/** Returns the deposits that are mined, unspent in blocks, and that the playbook allows to refund instantly. */
export function openDeposits(state: OrderState, stored: StoredOrder): readonly Deposit[] {
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
function assertMayCancel(state: OrderState, isTokenHolder: boolean, open: readonly Deposit[]): void {
  if (state.status === 'awaiting_refund' || open.every(({ id }) => isStray(state, id)) || isTokenHolder) return
  throw new TandemError(
    'forbidden',
    `the order is ${state.status} and may still complete: cancelling it needs the order_token that POST /orders returned`,
  )
}

/** This check must run before the solver signs. Afterwards the solver never pays, so a refused address would cost the user the swap. */
async function assertAddressOpen(db: ServiceContext['db'], { order, grants }: StoredOrder, to: string): Promise<void> {
  const { userAddress } = order.source
  if (userAddress === null || userAddress === to) return
  const attempts = await readAttempts(db, actionKey(order.id, 'source', 'refund'))
  if (attempts.length === 0 && !grants.some((grant) => grant.kind === 'instant-refund')) return
  throw new TandemError('conflict', `the refund address of this order cannot be changed any more: a refund to ${userAddress} is signed`)
}

export function requireAbility({ clients }: Pick<ServiceContext, 'clients'>, { order }: StoredOrder): InstantRefundAbility {
  const { instantRefund } = clientFor(clients, order.source.chain)
  if (instantRefund === undefined)
    throw new TandemError(
      'bad_request',
      `instant refunds are not supported on ${order.source.chain}: a deposit that does not complete is refunded after its timelock, without a call`,
    )
  return instantRefund
}

export async function proposeEconomic(
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

export function whyNot({ source, order, status }: OrderState): string {
  if (source.deposits.length === 0) return `there is nothing to refund: no deposit was seen at ${order.source.swapId}`
  if (source.deposits.some((deposit) => deposit.block !== null && deposit.spend?.block == null))
    return `the deposit cannot be refunded instantly: the order is ${status}, and the deposit pays for it`
  if (source.deposits.some((deposit) => deposit.block === null))
    return 'the deposit has no block yet: it can be refunded instantly once it is mined'
  return `there is nothing to refund: the order is ${status}`
}
