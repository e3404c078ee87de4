/** Reads the chains before a step that could cost money if the database lied. All other steps fail on the chain without harm. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Rule } from '@tandem/protocol/playbook.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import { touchOrders } from '../../store/orders/touched-orders.ts'
import type { LiveFacts, LiveView } from '../facts.ts'
import type { Party, Step } from '../party.ts'
import { containsSecret } from './contains-secret.ts'
import { type EvidenceQuery, type Proven, proveFacts } from './evidence.ts'
import { rereadSpends } from './reread-spends.ts'

export type UnprovenStep = { readonly step: Step; readonly facts: LiveFacts; readonly attempts: readonly Attempt[] }

/** `takeAgain` derives the step from facts read now. Returns null if what the chains show does not want the step. */
export async function proveStep<T extends UnprovenStep>(
  view: LiveView & { readonly party: Party },
  rule: Rule,
  first: T,
  takeAgain: (view: LiveView) => Promise<T>,
): Promise<T | null> {
  const taken = await withProvenSecret(view.party, first)
  if (!rule.holds(taken.step.state)) return null
  if (isRefundOfPayment(rule)) await rereadIfGone(view, taken)
  const query = evidenceFor(rule, taken.step.state)
  if (query === null) return taken
  const proven = await proveFacts(view, taken.facts, query)
  if (isEnough(rule, proven)) return withEvidence(taken, proven)
  const now = { ...view, acceptedAgeMs: 0 }
  const again = await withProvenSecret(view.party, await takeAgain(now))
  if (!rule.holds(again.step.state)) return null
  const provenAgain = await proveFacts(now, again.facts, query)
  if (provenAgain.differences.length > 0) {
    const { id } = again.step.state.order
    view.onDifferences?.({ order: id, action: `${rule.verb} ${rule.leg}`, differences: provenAgain.differences })
    await touchOrders(view.db, [id])
    for (const leg of query.legs) await reread(view, again.step.state, leg)
  }
  if (isEnough(rule, provenAgain)) return withEvidence(again, provenAgain)
  const [difference] = provenAgain.differences
  if (difference === undefined) return null
  throw new ChainFailure(
    'would-fail',
    `nothing is signed, because the database and the chain of the ${difference.leg} differ: ${difference.what}`,
  )
}

/** Returns null for a step that fails on the chain if the database lies: such a step costs a fee at most. */
function evidenceFor({ who, verb, leg }: Pick<Rule, 'who' | 'verb' | 'leg'>, state: OrderState): EvidenceQuery | null {
  const both: readonly Leg[] = ['source', 'destination']
  if (who === 'solver' && verb === 'initiate' && leg === 'destination')
    return { legs: both, htlcsOf: state.source.phase === 'initiated' ? ['source'] : [] }
  // Once the secret is out, withholding the redeem protects nothing, and a late one can cost the user both legs.
  if (who === 'service' && verb === 'redeem' && leg === 'destination' && state.secret === null && !state.secretShown)
    return { legs: both, htlcsOf: both }
  return null
}

function isRefundOfPayment({ who, verb, leg }: Rule): boolean {
  return who === 'solver' && verb === 'refund' && leg === 'destination'
}

/**
 * The solver takes back a payment that no row says was redeemed. If the payment is gone because the user redeemed it, the secret is on the
 * chain, and there is still time to collect with it. The refund itself is tried in any case: it costs nothing if the payment is gone.
 */
async function rereadIfGone(view: LiveView, { step: { state, client } }: UnprovenStep): Promise<void> {
  const { terms } = state.order.destination
  const { counted } = state.destination
  try {
    const { deposits } = await client.readHtlc(
      terms,
      counted.map(({ id }) => id),
    )
    if (!deposits.every((deposit) => deposit.state === 'open')) await rereadSpends(view, state, 'destination')
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
  }
}

/** Writes redeems and refunds that the database lacks, for the next execution. */
async function reread(view: LiveView, state: OrderState, leg: Leg): Promise<void> {
  try {
    await rereadSpends(view, state, leg)
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
  }
}

function isEnough(rule: Rule, { state, isContradicted }: Proven): boolean {
  return !isContradicted && rule.holds(state)
}

function withEvidence<T extends UnprovenStep>(taken: T, { state, facts, evidence }: Proven): T {
  const { asOfMs } = facts
  return { ...taken, facts, step: { ...taken.step, state, asOfMs, evidence } }
}

/** If a node may have the secret, it is shown in any case. A row that says so must prove it with a transaction that contains the secret. */
async function withProvenSecret<T extends UnprovenStep>(party: Party, taken: T): Promise<T> {
  const { step, facts, attempts } = taken
  if (party.role !== 'service' || step.verb !== 'redeem' || !facts.secretShown || step.state.secret !== null) return taken
  const secret = await party.secretFor(step)
  if (attempts.some(({ raw }) => containsSecret(raw, secret))) return taken
  const unshown = { ...facts, secretShown: false }
  return { ...taken, facts: unshown, step: { ...step, state: deriveOrder(unshown) } }
}
