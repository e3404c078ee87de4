/** PATCH ?action=initiate: the user hands over a signature, and the service sends the initiation for them. */
import { clientFor } from '../../engine/facts.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Grant } from '../../protocol/order.ts'
import { playbook } from '../../protocol/playbook.ts'
import type { OrderState } from '../../protocol/state.ts'
import type { App } from '../../store/apps.ts'
import { addGrant } from '../../store/grants.ts'
import type { StoredOrder } from '../../store/orders.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from './live-transaction.ts'
import { loadOrderState } from './load-order-state.ts'

/** The hash of the transaction that initiates the source side. A repeated call joins the first. */
export async function grantInitiate(
  context: ServiceContext,
  app: App,
  stored: StoredOrder,
  signature: string | undefined,
  closing: AbortSignal,
): Promise<string> {
  const { terms, chain } = stored.order.source
  const { gasless } = clientFor(context.clients, chain)
  if (gasless === undefined || context.registry.asset(terms.asset).tokenSchema === null)
    throw new TandemError('bad_request', `gasless is not supported for initiations of ${terms.asset}: fund it as POST /orders says`)
  if (!app.gasSponsorship)
    throw new TandemError('bad_request', 'gasless is not supported for initiations by this app: it has no gas sponsorship')
  if (signature === undefined)
    throw new TandemError('bad_request', 'signature is missing: expected a signature over typed_data, as a string')

  const granted = stored.grants.find((grant) => grant.kind === 'initiate')
  if (granted?.signature !== signature) await gasless.verify(terms, signature)
  const state = await loadOrderState(context.db, context.registry, stored, context.now())
  if (granted === undefined) {
    const grant: Grant = { kind: 'initiate', signature }
    assertRelayable(state, grant)
    await addGrant(context.db, stored.order.id, grant)
  } else if (state.status !== 'created') {
    const tx = await findLiveTransaction(context, stored, 'initiate')
    if (tx === null) throw new TandemError('conflict', `order is ${state.status}: it was not initiated, and will not be any more`)
    return tx
  }
  context.wake()
  return awaitLiveTransaction(context, stored, 'initiate', { closing })
}

/** A grant that the playbook would never act on is not taken. */
function assertRelayable(state: OrderState, grant: Grant): void {
  if (state.status !== 'created')
    throw new TandemError('conflict', `order is ${state.status}: only an order that is created and not yet funded can be initiated`)
  const rule = playbook.find(({ who, leg, verb }) => who === 'service' && leg === 'source' && verb === 'initiate')
  if (rule?.holds({ ...state, grants: [grant] }) !== true)
    throw new TandemError(
      'conflict',
      `it is too late to initiate: it could not be mined by the deadline ${state.order.deadline}; make a new order`,
    )
}
