/** Turns a sufficient payment into the grant to initiate. At a deposit address, the service pays the fee within the limits of sponsorship. */
import { sponsoredPerDayOf } from '@tandem/party/store/apps/apps.ts'
import { addSponsoredInitiate } from '@tandem/party/store/apps/sponsorship.ts'
import { addGrant } from '@tandem/party/store/orders/grants.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import type { SyncContext } from '../solver-sync/solver-sync.ts'

/** Returns true if the grant is new. A refused order is asked for again with the next reading, and its money is returned after the deadline. */
export async function grantPrefunded({ db, registry, log }: SyncContext, { order, app }: StoredOrder): Promise<boolean> {
  const consent = { kind: 'prefunded', deadline: order.deadline } as const
  if (order.source.depositAddress === null || app === null) {
    if (!(await addGrant(db, order.id, { kind: 'initiate', leg: 'source', consent }))) return false
    log.info({ order: order.id }, 'the order is prefunded: initiating')
    return true
  }
  const refusal = await addSponsoredInitiate(db, order.id, consent, {
    app,
    perDay: await sponsoredPerDayOf(db, app),
    // The money is at an address of the order alone, so it is pledged to no other one.
    spendable: null,
    limits: null,
    bindsRent: registry.chain(order.source.chain).settledHtlcKeepsRent === true,
  })
  if (refusal === null) log.info({ order: order.id }, 'the amount is at the deposit address: initiating')
  else
    log.warn({ order: order.id, app, limit: refusal.kind }, 'the amount is at the deposit address, but a limit of sponsorship is reached')
  return refusal === null
}
