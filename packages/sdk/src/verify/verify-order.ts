/** Verifies an order against the user's own request, before the user pays. Throws `VerificationError` by the name of the field. */

import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { SdkFamily, SourceSide, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import type { Payment } from '@tandem/chain-kit/browser/wallet.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { timelockGapSeconds } from '@tandem/protocol/timelock.ts'
import type { CreateOrderRequest, OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import type { PinnedAsset } from './pinned.ts'
import { verifyDeposit } from './verify-deposit.ts'

export { payerOf } from './verify-deposit.ts'

/** The fields of a swap record before anything has happened. A user who pays for an order that is under way pays twice. */
export const freshSwap = {
  filled_amount: '0',
  secret: '',
  initiate_tx_hash: '',
  redeem_tx_hash: '',
  refund_tx_hash: '',
  initiate_block_number: '0',
  redeem_block_number: '0',
  refund_block_number: '0',
  current_confirmations: 0,
  initiate_timestamp: null,
  redeem_timestamp: null,
  refund_timestamp: null,
} satisfies Partial<SwapRecord>

/** The user agreed to this. All of it is the client's own knowledge. */
export type Intent = {
  readonly source: PinnedAsset
  readonly destination: PinnedAsset
  /** Exactly this is paid. */
  readonly sourceAmount: bigint
  /** This or more is locked for the user. */
  readonly minDestinationAmount: bigint
  /** This or more is received after the fee of the payout. It is null if the user named no such limit. */
  readonly minToAmount: bigint | null
  readonly request: CreateOrderRequest
  /** It is null if the service makes the secret. */
  readonly secretHash: Hex32 | null
}

export type Sides = { readonly source: SourceSide; readonly destination: SwapSide }

export type VerifiedOrder = Sides & {
  /** The wallet is asked to do this. Only the family's `fund` understands it. */
  readonly plan: unknown
  /** A plain transfer funds the order, and no plan is needed. It is null if the user did not ask for a deposit address. */
  readonly payment: Payment | null
}

type Answers = { readonly funding: CreateOrderResult; readonly record: OrderRecord }

/** Less time is not enough to fund an order. */
const MIN_SECONDS_TO_FUND = 60n

/** The clocks of user and service may differ by this much. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300n

/** Verifies an order that is not funded yet. `now` is in unix seconds. */
export async function verifyOrder(intent: Intent, answers: Answers, now: bigint): Promise<VerifiedOrder> {
  const { record } = answers
  verifySame('status', 'created', record.status)
  verifyFresh('source', record.source_swap)
  verifyFresh('destination', record.destination_swap)
  const sides = await verifyTerms(intent, answers)
  const soonest = now + MIN_SECONDS_TO_FUND
  verifyThat(sides.source.deadline >= soonest, 'deadline', `${soonest} or later`, record.deadline)
  // Where timelocks are absolute, the user's refund waits until the deadline and the timelock are over.
  const latest = now + intent.source.chain.fundingWindowSeconds + MAX_CLOCK_DIFFERENCE_SECONDS
  verifyThat(sides.source.deadline <= latest, 'deadline', `${latest} or earlier`, record.deadline)
  const [sourceFamily, destinationFamily] = [
    await loadFamily(intent.source.chain.family),
    await loadFamily(intent.destination.chain.family),
  ]
  await destinationFamily.verifyDestination(sides.destination)
  const isDeposit = intent.request.deposit === 'address' && sourceFamily.ownKeys === undefined
  return isDeposit
    ? { ...sides, plan: null, payment: await verifyDeposit(sourceFamily, sides.source) }
    : { ...sides, plan: await sourceFamily.verifySource(sides.source), payment: null }
}

/** Verifies what no family needs to know, also for an order that is under way. */
export async function verifyTerms(intent: Intent, { funding, record }: Answers): Promise<Sides> {
  const { request } = intent
  verifyThat(/^[0-9a-f]{64}$/.test(record.order_id), 'order_id', '64 hex digits', record.order_id)
  verifySame('order_id', record.order_id, funding.order_id)
  verifySame('version', 'v3', record.version)
  if (request.nonce != null) verifySame('nonce', String(request.nonce), record.nonce)
  if (request.solver_id != null) verifySame('solver_id', request.solver_id, record.solver_id)
  verifySame(
    'affiliate_fees',
    (request.affiliate_fees ?? []).map(({ address, fee }) => ({ address, fee })),
    record.affiliate_fees.map(({ address, fee }) => ({ address, fee })),
  )
  const createdAt = Math.floor(Date.parse(record.created_at) / 1000)
  verifyThat(Number.isSafeInteger(createdAt), 'created_at', 'a time', record.created_at)
  const deadline = BigInt(createdAt) + intent.source.chain.fundingWindowSeconds
  verifySame('deadline', deadline.toString(), String(record.deadline))
  const source = sideOf(intent, 'source', record.source_swap, await loadFamily(intent.source.chain.family))
  const destination = sideOf(intent, 'destination', record.destination_swap, await loadFamily(intent.destination.chain.family))
  verifySame('source_swap.amount', intent.sourceAmount, source.terms.amount)
  verifyThat(
    destination.terms.amount >= intent.minDestinationAmount,
    'destination_swap.amount',
    `${intent.minDestinationAmount} or more`,
    destination.terms.amount,
  )
  verifySame('destination_swap.gas', request.destination_gas === true, record.destination_swap.gas !== undefined)
  if (intent.minToAmount !== null) verifyNetAmount(intent.minToAmount, destination)
  verifySame('destination_swap.secret_hash', source.terms.secretHash, destination.terms.secretHash)
  const gap = timelockGapSeconds(source.chain, source.terms.timelock, destination.chain, destination.terms.timelock)
  verifyThat(
    gap > 0n || source.chain.clockException !== undefined,
    'destination_swap.timelock',
    'one that ends safely before that of the source',
    destination.terms.timelock,
  )
  return { source: { ...source, payer: request.source.delegate ?? null, deadline, funding }, destination }
}

/** The service may take the fee of the payout out of the amount. */
function verifyNetAmount(minAmount: bigint, { terms: { amount }, record }: SwapSide): void {
  const field = 'destination_swap.network_fee'
  const { network_fee: text = '0' } = record
  const fee = text === '0' ? 0n : verifyParsed(field, 'an amount', text, parseAmount)
  verifyThat(amount - fee >= minAmount, field, `${amount - minAmount} or less`, fee)
}

function sideOf(intent: Intent, leg: Leg, record: SwapRecord, family: SdkFamily): SwapSide {
  const { chain, asset, deployment } = intent[leg]
  const owner = intent.request[leg].owner ?? null
  const field = (name: string) => `${leg}_swap.${name}`
  verifySame(field('chain'), chain.id, record.chain)
  verifySame(field('asset'), asset.id, record.asset)
  // The user's refund time on the source, the time to redeem on the destination: fixed by the registry.
  verifySame(field('timelock'), chain.timelocks[leg].toString(), String(record.timelock))
  verifyThat(/^[0-9a-f]{64}$/.test(record.secret_hash), field('secret_hash'), '64 hex digits', record.secret_hash)
  if (intent.secretHash !== null) verifySame(field('secret_hash'), intent.secretHash, record.secret_hash)
  const terms: HtlcTerms = {
    asset: asset.id,
    initiator: record.initiator,
    redeemer: record.redeemer,
    [leg === 'source' ? 'initiator' : 'redeemer']: userParty(family, leg, owner, record),
    amount: verifyParsed(field('amount'), 'an amount', record.amount, parseAmount),
    secretHash: record.secret_hash,
    timelock: chain.timelocks[leg],
  }
  verifySame(field('required_confirmations'), requiredConfirmations(chain, asset, terms.amount, leg), record.required_confirmations)
  return { leg, chain, asset, deployment, terms, owner, record }
}

/**
 * The user's party in the terms. Where parties are keys, the record shows the user's address, which is in no HTLC: the key is the user's own, or the one that the
 * service made. The family verifies what the record shows.
 */
function userParty({ ownKeys }: SdkFamily, leg: Leg, owner: string | null, { initiator, redeemer, delegate }: SwapRecord): string {
  if (ownKeys === undefined) return leg === 'source' ? initiator : redeemer
  return owner !== null && ownKeys.isPublicKey(owner) ? owner : (delegate ?? '')
}

function verifyFresh(leg: Leg, record: SwapRecord): void {
  for (const [name, value] of Object.entries(freshSwap)) verifySame(`${leg}_swap.${name}`, value, record[name as keyof SwapRecord])
  verifySame(`${leg}_swap.instant_refund_tx`, undefined, record.instant_refund_tx)
  verifySame(`${leg}_swap.deposits`, record.deposits === undefined ? undefined : [], record.deposits)
}
