/** The route GET /orders/{id} returns an order, the same for every app. */
import { basicFormsOf, familyNamed } from '@tandem/families/index.ts'
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import type { App } from '@tandem/party/store/apps/apps.ts'
import { noteStatus } from '@tandem/party/store/order-list/order-list.ts'
import { findOrderSnapshots, type OrderSnapshot, type StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { type OrderRecord, orderToWire } from '@tandem/protocol/wire/order.ts'
import type { ServiceContext } from '../context.ts'
import { filledFees } from '../earnings/shares.ts'
import { adviseRevoke, deriveNextAction } from './next-action.ts'

export async function viewOrder(context: ServiceContext, orderId: string): Promise<OrderRecord> {
  const snapshot = await requireSnapshot(context, orderId)
  // The answer says where to deposit. With a row that somebody changed, the user would pay into another HTLC.
  assertSealed(context.sealer, snapshot.stored)
  return describeOrder(context, await noteShown(context, snapshot))
}

/** An order and its events are read in one statement that concurrent calls share. */
export async function requireSnapshot({ orderReader }: ServiceContext, orderId: string): Promise<OrderSnapshot> {
  const id = parseOrderId(orderId)
  const snapshot = id === null ? null : await orderReader.read(id)
  if (snapshot === null) throw unknownOrder(orderId)
  return snapshot
}

export function describeOrder({ registry, now }: Pick<ServiceContext, 'registry' | 'now'>, snapshot: OrderSnapshot): OrderRecord {
  const { stored } = snapshot
  const derived = deriveOrder(factsOf(registry, snapshot, now()))
  // Only a recorded status has its event.
  const state = { ...derived, status: snapshot.listed ?? derived.status }
  const chains = { source: registry.chain(stored.order.source.chain), destination: registry.chain(stored.order.destination.chain) }
  const feeFromAmount = (leg: Leg) => familyNamed(chains[leg].family).feeFromAmount === true
  const isRevocable = familyNamed(chains.source.family).revocableSignatures === true
  return orderToWire({
    state,
    chains,
    formatInitiation: {
      source: basicFormsOf(chains.source).formatInitiation,
      destination: basicFormsOf(chains.destination).formatInitiation,
    },
    feeFromAmount: { source: feeFromAmount('source'), destination: feeFromAmount('destination') },
    assetPrices: stored.assetPrices,
    createdAt: stored.createdAt,
    nonce: stored.nonce,
    app: stored.app ?? '',
    affiliateFees: filledFees(stored.affiliateFees, stored.order.destination),
    offeringGas: snapshot.offeringGas,
    nextAction: deriveNextAction(state, snapshot.refusals) ?? (isRevocable ? adviseRevoke(state) : null),
  })
}

function parseOrderId(text: string): string | null {
  const id = text.toLowerCase()
  return /^[0-9a-f]{64}$/.test(id) ? id : null
}

function unknownOrder(text: string): TandemError {
  return new TandemError('not_found', `there is no order "${text.slice(0, 64)}"`)
}

/** Only the app that made an order may change it. App ids are public, so this check does not authorise the user. */
export function assertOwnOrder(stored: StoredOrder, app: App): void {
  if (stored.app !== app.name)
    throw new TandemError('forbidden', `order ${stored.order.id} was made by another app: only that app may do this`)
}

/** After this many races with other writers, the status that they wrote is shown. */
const MAX_ATTEMPTS = 3

/**
 * Facts are recorded before an engine derives the order from them, and the order may pass a status in between. A reader that derives such a
 * status records it. If the database cannot be written, the recorded status is shown.
 */
export async function noteShown(
  context: Pick<ServiceContext, 'db' | 'registry' | 'now' | 'log'>,
  read: OrderSnapshot,
): Promise<OrderSnapshot> {
  const { db, registry, now, log } = context
  let snapshot = read
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { listed: known, stored } = snapshot
    if (known === null || !isServed(registry, stored)) return snapshot
    const { status } = deriveOrder(factsOf(registry, snapshot, now()))
    if (status === known) return snapshot
    const orderId = stored.order.id
    try {
      if (await noteStatus(db, { orderId, known, status })) return { ...snapshot, listed: status }
    } catch (error) {
      log.warn({ order: orderId, err: error }, 'the status of an order could not be recorded: showing the last recorded one')
      return snapshot
    }
    const [again] = await findOrderSnapshots(db, [orderId])
    if (again === undefined) return snapshot
    snapshot = again
  }
  return snapshot
}
