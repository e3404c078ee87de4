/** With PATCH ?action=redeem the client reveals its secret, and the service redeems the destination with it. */

import { addGrant } from '@tandem/party/store/orders/grants.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Grant } from '@tandem/protocol/order.ts'
import { playbook, whyNotReveal } from '@tandem/protocol/playbook.ts'
import { type Hex32, isSecretFor } from '@tandem/protocol/secret.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from './live-transaction.ts'
import { loadOrderState } from './load-order-state.ts'

/** Resolves to the hash of the transaction that redeems the destination. A repeated call joins the first. */
export async function grantRedeem(
  context: ServiceContext,
  stored: StoredOrder,
  given: string | undefined,
  closing: AbortSignal,
): Promise<string> {
  const { destination } = stored.order
  if (destination.clientKey)
    throw new TandemError(
      'bad_request',
      `only the holder of destination.owner ${destination.terms.redeemer} can redeem: spend the output at ${destination.swapId} by its redeem leaf, with a signature of that key and the secret; GET /schemas describes the scripts`,
    )
  if (!stored.clientSecret)
    throw new TandemError('bad_request', 'this order needs no secret from you: the service holds the secret, and redeems by itself')
  // The seal is checked before the secret is taken: somebody who changed the row could redeem with the secret.
  assertSealed(context.sealer, stored)
  const secret = parseSecret(given, stored.order.destination.terms.secretHash)
  const state = await loadOrderState(context.db, context.registry, stored, context.now())
  if (state.destination.phase === 'redeeming' || state.destination.phase === 'redeemed') {
    const tx = await findLiveTransaction(context, stored, 'redeem')
    if (tx !== null) return tx
  }
  assertRevealable(state)
  await keep(context, stored.order.id, secret)
  context.wake()
  return awaitLiveTransaction(context, stored, 'redeem', { closing })
}

/** Errors must not quote the secret, which may be the right one with a typing error. */
function parseSecret(given: string | undefined, secretHash: Hex32): Hex32 {
  if (given === undefined) throw new TandemError('bad_request', 'secret is missing: expected 32 bytes as hex')
  const secret = given.toLowerCase().replace(/^0x/, '')
  if (!isSecretFor(secret, secretHash))
    throw new TandemError('bad_request', `secret is not the secret of this order: its SHA-256 hash is not ${secretHash}`)
  return secret
}

/** A secret on which the playbook would not act yet is refused, because a secret that is not stored cannot leak. */
function assertRevealable(state: OrderState): void {
  const grant: Grant = { kind: 'redeem', leg: 'destination' }
  const rule = playbook.find(({ who, leg, verb }) => who === 'service' && leg === 'destination' && verb === 'redeem')
  if (rule?.holds({ ...state, grants: [...state.grants, grant] }) === true) return
  throw new TandemError(
    'conflict',
    `the secret must not be revealed now: ${whyNotReveal(state) ?? 'there is nothing to redeem'}; the order is ${state.status}`,
  )
}

/** The grant and the sealed secret are stored together, or neither is. */
async function keep({ db, sealer }: ServiceContext, orderId: string, secret: Hex32): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (await addGrant(tx, orderId, { kind: 'redeem', leg: 'destination' })) await sealer.put(tx, orderId, 'secret', secret)
  })
}
