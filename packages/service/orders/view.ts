/** GET /orders/{id}: an order as the calling app may see it. */
import { basicFormsOf, familyNamed } from '@tandem/families/index.ts'
import { factsOf } from '@tandem/party/engine/facts.ts'
import type { App } from '@tandem/party/store/apps/apps.ts'
import type { OrderSnapshot, StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { type OrderRecord, orderToWire } from '@tandem/protocol/wire/order.ts'
import type { ServiceContext } from '../context.ts'
import { filledFees } from '../earnings/shares.ts'
import { adviseRevoke, deriveNextAction } from './next-action.ts'
import { noteShown } from './note-shown.ts'

export async function viewOrder(context: ServiceContext, app: App, orderId: string): Promise<OrderRecord> {
  const snapshot = await requireSnapshot(context, orderId)
  // It says where to deposit: from a row that somebody changed, the user would pay into another HTLC.
  assertSealed(context.vault, snapshot.stored)
  return describeOrder(context, app, await noteShown(context, snapshot))
}

/** An order with its events, in one statement that concurrent calls share. */
export async function requireSnapshot({ orderReader }: ServiceContext, orderId: string): Promise<OrderSnapshot> {
  const id = parseOrderId(orderId)
  const snapshot = id === null ? null : await orderReader.read(id)
  if (snapshot === null) throw unknownOrder(orderId)
  return snapshot
}

export function describeOrder(
  { registry, now }: Pick<ServiceContext, 'registry' | 'now'>,
  app: Pick<App, 'name'>,
  snapshot: OrderSnapshot,
): OrderRecord {
  const { stored } = snapshot
  const derived = deriveOrder(factsOf(registry, snapshot, now()))
  // Only a status that is on record has its event.
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
    nextAction: deriveNextAction(state, snapshot.refusals) ?? (isRevocable ? adviseRevoke(state) : null),
    showSecret: stored.app === app.name,
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
