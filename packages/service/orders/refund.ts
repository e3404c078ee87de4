/** The action PATCH ?action=refund refunds an expired deposit, and sets the refund address if the caller may. */

import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import type { ChainClock } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { refundable } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { describeUnits } from '@tandem/protocol/timelock.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from './live-transaction.ts'
import { loadOrderState } from './load-order-state.ts'
import { checkRefundAddress, type RefundRequest, settleRefundAddress } from './refund-address.ts'

/**
 * Resolves to the hash of the transaction that refunds the source. A repeated call joins the first. The hash is empty if there is no
 * transaction yet and the call only sets an address: the first one with the order token, a later one with a proof.
 */
export async function refundSource(
  context: ServiceContext,
  stored: StoredOrder,
  ask: RefundRequest,
  closing: AbortSignal,
): Promise<string> {
  const { db, registry } = context
  const setsAddress = wantsToSetAddress(stored, ask)
  if (!setsAddress) assertOurKey(stored)
  // This check comes before all errors about deposits: a caller who may not set the address must learn that first.
  if (ask.address !== null) checkRefundAddress(context, stored, ask)
  const state = await loadOrderState(db, registry, stored, context.now())
  if (stored.order.source.clientKey || refundable(state, 'source').length === 0) {
    const sent = ['refund_detected', 'refunded'].includes(state.status) ? await findLiveTransaction(context, stored, 'refund') : null
    if (sent !== null) return sent
    if (!setsAddress || !mayBeRefundedLater(state))
      throw new TandemError('conflict', whyNot(state, registry.chain(stored.order.source.chain).clock))
    await settle(context, stored, ask)
    // Due refunds start automatically once the address is known.
    context.wake()
    return ''
  }
  await settle(context, stored, ask)
  context.wake()
  const done = new Set(state.source.deposits.flatMap(({ spend }) => (spend?.block == null ? [] : [spend.tx])))
  return awaitLiveTransaction(context, stored, 'refund', { done, closing })
}

/** Returns true if the call tries to set the address. `settle` checks whether the caller may. */
function wantsToSetAddress({ order }: StoredOrder, ask: RefundRequest): boolean {
  return ask.address !== null && (ask.proof !== null || (order.source.userAddress === null && ask.orderToken !== null))
}

function assertOurKey({ order: { source } }: StoredOrder): void {
  if (source.clientKey)
    throw new TandemError(
      'bad_request',
      `only the holder of the key ${source.terms.initiator} can refund, with the refund package: POST /orders returned it, and \`tandem refund --package\` uses it`,
    )
}

async function settle(context: ServiceContext, stored: StoredOrder, ask: RefundRequest): Promise<void> {
  const address = checkRefundAddress(context, stored, ask)
  if (address === stored.order.source.userAddress) return
  await context.db.transaction().execute((tx) => settleRefundAddress(context, tx, stored, address))
}

/** Returns true if a deposit may still arrive, or if one is unspent and worth a refund. */
function mayBeRefundedLater({ source }: OrderState): boolean {
  return source.deposits.length === 0 || source.deposits.some(({ spend, writtenOff }) => spend === null && !writtenOff)
}

function whyNot(state: OrderState, clock: ChainClock): string {
  const { source, order } = state
  if (source.deposits.length === 0) return `there is nothing to refund: no deposit was seen at ${order.source.swapId}`
  const open = source.deposits.filter((deposit) => deposit.spend === null)
  if (open.length === 0) return `there is nothing to refund: the order is ${state.status}`
  if (open.every(({ writtenOff }) => writtenOff)) return 'there is nothing to refund: the deposit is worth less than the fee of a refund'
  const left = open.flatMap((deposit) => (deposit.unitsLeft === null ? [] : [deposit.unitsLeft]))
  const soonest = left.reduce<bigint | null>((min, units) => (min === null || units < min ? units : min), null)
  if (soonest === null) return 'the deposit has no block yet: its timelock starts with the block it is mined in'
  if (soonest <= 0n) return `the deposit cannot be refunded: the order is ${state.status}, and the deposit pays for it`
  return `it is too early to refund: the timelock of the deposit ends ${describeUnits(clock, soonest)}; it is then refunded automatically${
    order.source.userAddress === null ? ' once a refund address is set' : ''
  }`
}
