/** With PATCH ?action=initiate the user sends a signature, and the service relays the initiation. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { makeActionDue, readAction } from '@tandem/party/store/actions/actions.ts'
import type { App } from '@tandem/party/store/apps/apps.ts'
import { addSponsoredInitiate, type SponsorRefusal } from '@tandem/party/store/apps/sponsorship.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { actionKey, type Consent, type Grant } from '@tandem/protocol/order.ts'
import { consentTo, playbook } from '@tandem/protocol/playbook.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { awaitLiveTransaction, findLiveTransaction } from './live-transaction.ts'
import { loadOrderState } from './load-order-state.ts'

/** The user can initiate without the service by sending one of these. */
const ALONE = 'send initiate_transaction or versioned_tx'

type Gasless = NonNullable<ChainClient['gasless']>

/** Resolves to the hash of the transaction that initiates the source. A repeated call joins the first. */
export async function grantInitiate(
  context: ServiceContext,
  app: App,
  stored: StoredOrder,
  signature: string | undefined,
  closing: AbortSignal,
): Promise<string> {
  const { source, deadline } = stored.order
  const { terms, chain } = source
  const { gasless } = clientFor(context.clients, chain)
  if (gasless?.supports(terms.asset) !== true)
    throw new TandemError('bad_request', `gasless is not supported for initiations of ${terms.asset}: fund it as POST /orders says`)
  if (!app.sponsorship) throw new TandemError('bad_request', 'gasless is not supported for initiations by this app: its sponsorship is off')
  if (signature === undefined)
    throw new TandemError(
      'bad_request',
      'signature is missing: expected a signature over typed_data, or the signed versioned_tx_gasless, as a string',
    )

  const consent: Consent = { kind: 'signature', signature }
  const granted = consentTo(stored, 'source')
  const state = await loadOrderState(context.db, context.registry, stored, context.now())
  if (granted === null) {
    await gasless.verify(terms, signature, deadline)
    assertRelayable(state, { kind: 'initiate', leg: 'source', consent })
    await sponsor(context, app, stored, gasless, signature)
    context.wake()
    return awaitLiveTransaction(context, stored, 'initiate', { closing })
  }
  const isGranted = granted.kind === 'signature' && granted.signature === signature
  if (!isGranted) await gasless.verify(terms, signature, deadline)
  if (state.status !== 'created') {
    const tx = await findLiveTransaction(context, stored, 'initiate')
    if (tx === null)
      throw new TandemError(
        'conflict',
        `order is ${state.status}: it was not initiated in time, and cannot be initiated any more; make a new order`,
      )
    return tx
  }
  return joinRelay(context, app, stored, { gasless, signature, isGranted, closing })
}

/** A grant on which the playbook would never act is refused. */
function assertRelayable(state: OrderState, grant: Grant): void {
  if (state.status !== 'created')
    throw new TandemError('conflict', `order is ${state.status}: only an order that is created and not yet funded can be initiated`)
  const rule = playbook.find(({ who, leg, verb }) => who === 'service' && leg === 'source' && verb === 'initiate')
  if (rule?.holds({ ...state, grants: [grant] }) !== true)
    throw new TandemError(
      'conflict',
      `it is too late to initiate: the transaction could not be mined by the deadline ${state.order.deadline}; make a new order`,
    )
}

async function sponsor(
  { db, registry }: ServiceContext,
  app: App,
  { order }: StoredOrder,
  gasless: Gasless,
  signature: string,
): Promise<void> {
  const { terms } = order.source
  const [spendable = null, limits = relayLimits.byKey] = await Promise.all([
    gasless.spendable?.(terms, order.deadline, signature),
    gasless.limits?.(terms, signature, order.deadline),
  ])
  const bindsRent = registry.chain(order.source.chain).settledHtlcKeepsRent === true
  const limited = { app: app.name, perDay: app.sponsoredPerDay, spendable, limits, bindsRent }
  const refusal = await addSponsoredInitiate(db, order.id, { kind: 'signature', signature }, limited)
  if (refusal !== null) throw refusalOf(refusal, app, terms)
}

function refusalOf(refusal: SponsorRefusal, { sponsoredPerDay }: App, { initiator, asset, amount }: HtlcTerms): TandemError {
  switch (refusal.kind) {
    case 'budget': {
      const { retryAfterSeconds } = refusal
      const words = `gasless initiations of this app are used up: the limit is ${sponsoredPerDay} in 24 hours, try again in ${retryAfterSeconds} seconds`
      return new TandemError('rate_limited', `${words}; ${ALONE} instead`, { retryAfterSeconds })
    }
    case 'reverts': {
      const { count, retryAfterSeconds } = refusal
      const words = `${count} relayed transactions for ${initiator} reverted in the last 24 hours: try again in ${retryAfterSeconds} seconds`
      return new TandemError('rate_limited', `${words}; ${ALONE} instead`, { retryAfterSeconds })
    }
    case 'unmined':
      return new TandemError(
        'conflict',
        `${refusal.count} gasless initiations of ${initiator} are not mined yet: repeat this call when one of them is mined, or ${ALONE}`,
      )
    case 'pledged':
      return new TandemError(
        'conflict',
        `${initiator} can spend ${refusal.spendable} of ${asset}, ${refusal.pledged} of it pledged to orders that are not mined yet, and this order needs ${amount}: repeat this call when they are mined, or ${ALONE}`,
      )
  }
}

type Joining = {
  readonly gasless: Gasless
  readonly signature: string
  /** The signature equals the stored grant. Any other signature is verified already. */
  readonly isGranted: boolean
  readonly closing: AbortSignal
}

/** Resolves to the live transaction. If that one reverted, this throws the reason, or relays again if the cause is gone. */
async function joinRelay(context: ServiceContext, app: App, stored: StoredOrder, joining: Joining): Promise<string> {
  const { gasless, signature, isGranted, closing } = joining
  const key = actionKey(stored.order.id, 'source', 'initiate')
  const tx = await findLiveTransaction(context, stored, 'initiate')
  const hasFailed = tx !== null && (await isReverted(gasless, tx))
  // The live transaction may still expire. The newest signature is then relayed.
  if (!isGranted) await sponsor(context, app, stored, gasless, signature)
  if (tx !== null && !hasFailed) return tx
  const deadTx = hasFailed ? tx : ((await readAction(context.db, key))?.revertedTx ?? null)
  if (isGranted) {
    const { source, deadline } = stored.order
    // A dead transaction may also have expired unmined.
    const revertedTx = deadTx !== null && (hasFailed || (await isReverted(gasless, deadTx))) ? deadTx : null
    await addRevertedTx(revertedTx, gasless.verify(source.terms, signature, deadline))
  }
  await makeActionDue(context.db, key)
  context.wake()
  return awaitLiveTransaction(context, stored, 'initiate', { closing, done: new Set(deadTx === null ? [] : [deadTx]) })
}

/** Returns false if the node does not answer, because silence proves no revert. */
async function isReverted({ hasReverted }: Gasless, tx: string): Promise<boolean> {
  try {
    return (await hasReverted?.(tx)) ?? false
  } catch (error) {
    if (error instanceof ChainFailure) return false
    throw error
  }
}

async function addRevertedTx(revertedTx: string | null, verifying: Promise<void>): Promise<void> {
  try {
    await verifying
  } catch (error) {
    if (revertedTx === null || !(error instanceof TandemError)) throw error
    throw new TandemError(error.code, `the relayed transaction ${revertedTx} was mined and reverted: ${error.message}`, { cause: error })
  }
}
