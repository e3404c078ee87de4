/** Accepts or declines an order, completes its terms, and starts to watch it. After that the solver acts only on what the chains show. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import type { FreshPolls } from '@tandem/party/engine/chain-watcher.ts'
import type { DifferenceReport } from '@tandem/party/engine/evidence/differences.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { RollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import type { SigningLimit } from '@tandem/party/engine/signing-limit.ts'
import type { NewOrder } from '@tandem/party/store/orders/insert-orders.ts'
import type { OrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { findOrderOfService } from '@tandem/party/store/solver/orders-of-service.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg, Order } from '@tandem/protocol/order.ts'
import { assertSameListing } from '@tandem/protocol/registry/listing-digest.ts'
import { parseSecretHash } from '@tandem/protocol/secret.ts'
import { assertTimelocksSafe } from '@tandem/protocol/timelock.ts'
import type { SolverOrderAcceptance, SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import { agreeAmount } from './agree-amount.ts'
import type { Caller } from './authenticate.ts'
import type { KeptAnswers } from './instant-refund/kept-answers.ts'
import type { PayCheck } from './pay-checks.ts'
import type { Payouts } from './payouts.ts'
import type { Prices } from './pricing/price-limit.ts'
import { holdSeconds } from './pricing/terms.ts'
import { assertLiquidity, type QuoteContext } from './quotes.ts'
import { type Customer, customerOf } from './risk/customers.ts'
import { worthOf } from './risk/risk.ts'
import { holdersOfOrder, ownOfOrder, promisedTo } from './soft-reservations.ts'

export type OrderContext = QuoteContext & {
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: Keyring
  readonly orderWriter: OrderWriter
  readonly signingLimit: SigningLimit
  readonly keptAnswers: KeptAnswers
  readonly guard: RollbackGuard
  readonly payChecks: readonly PayCheck[]
  readonly payouts: Pick<Payouts, 'assertWelcome'>
  readonly onDifferences?: (report: DifferenceReport) => void
  /** The polls come from the engine. Without them the chains are read for each request. */
  readonly polls?: ReadonlyMap<ChainId, FreshPolls>
  readonly expectOrders: (chains: readonly ChainId[]) => void
  readonly wake: () => void
}

type AgreedOrder = {
  readonly order: Order
  readonly assetPrices: Prices
  readonly usdMicros: bigint
  readonly belowQuote: string | null
}

/** With a larger difference between the clocks, the solver cannot check the deadline. */
const CLOCK_TOLERANCE_SECONDS = 120n

export async function acceptOrder(context: OrderContext, request: SolverOrderRequest, caller: Caller): Promise<SolverOrderAcceptance> {
  let agreed: AgreedOrder
  try {
    agreed = await completeTerms(context, request, caller)
    await context.payouts.assertWelcome(agreed.order, caller.service)
  } catch (error) {
    // A repeated request gets the first answer, even if the order would be refused now.
    return repeat(context, request, caller, error)
  }
  // A service that has stopped waiting may have given the order to another solver: no liquidity is reserved for it.
  caller.assertInTime()
  const { order } = agreed
  const input = newOrder(request, agreed, caller)
  if (await context.orderWriter.write({ input, sealed: [] })) {
    context.risk.noteOrder(input.customer)
    holdSoftly(context, order, input.customer)
    context.expectOrders([order.source.chain, order.destination.chain])
    return { ...acceptance(order), ...(agreed.belowQuote !== null && { below_quote: agreed.belowQuote }) }
  }
  return repeat(context, request, caller, new TandemError('conflict', 'order_id or secret_hash was used before: every order needs its own'))
}

/** The soft reservation ends when the price expires. It becomes firm with the deposit. An order whose price does not hold gets none. */
function holdSoftly({ soft, now }: OrderContext, { id, destination, priceExpiresAt }: Order, customer: Customer): void {
  const { asset, amount } = destination.terms
  if (priceExpiresAt > now()) soft.hold({ key: id, holders: holdersOfOrder(customer), asset, amount, expiresAt: priceExpiresAt })
}

function newOrder(
  request: SolverOrderRequest,
  { order, assetPrices, usdMicros }: AgreedOrder,
  caller: Caller,
): NewOrder & Required<Pick<NewOrder, 'customer'>> {
  const { source, destination } = order
  return {
    order,
    app: null,
    nonce: order.id,
    sourceOwner: source.terms.initiator,
    destinationOwner: destination.terms.redeemer,
    slippageBips: request.slippage_bips,
    affiliateFees: [],
    idempotencyKey: null,
    requestHash: '',
    tokenHash: null,
    clientSecret: request.client_secret ?? false,
    assetPrices,
    worth: null,
    customer: { service: caller.service, ...customerOf(request, caller), usdMicros },
  }
}

/** Answers a repeated request. Throws `otherwise` if the caller made no such order. */
async function repeat(
  { db }: OrderContext,
  request: SolverOrderRequest,
  { service }: Caller,
  otherwise: unknown,
): Promise<SolverOrderAcceptance> {
  const known = await findOrderOfService(db, request.order_id, service)
  if (known === null) throw otherwise
  const { source, destination } = known.order
  const same =
    source.terms.secretHash === request.secret_hash &&
    source.terms.asset === request.source.asset &&
    source.terms.amount.toString() === request.source.amount &&
    source.terms.initiator === request.source.initiator &&
    destination.terms.asset === request.destination.asset &&
    destination.terms.redeemer === request.destination.redeemer
  if (!same) throw new TandemError('conflict', `order ${known.order.id} exists with other terms`)
  return acceptance(known.order)
}

function acceptance(order: Order): SolverOrderAcceptance {
  const { source, destination } = order
  return {
    solver_id: order.solverId,
    source: { redeemer: source.terms.redeemer, timelock: source.terms.timelock.toString() },
    destination: {
      initiator: destination.terms.initiator,
      timelock: destination.terms.timelock.toString(),
      amount: destination.agreedAmount.toString(),
    },
    price_expires_at: Number(order.priceExpiresAt),
  }
}

/** Every call that names an order begins here: only the service that made an order can see it or decide anything about it. */
export async function requireOwnOrder({ db }: Pick<OrderContext, 'db'>, id: string, { service }: Caller): Promise<StoredOrder> {
  const stored = await findOrderOfService(db, id, service)
  if (stored === null) throw new TandemError('not_found', `there is no order ${id}`)
  return stored
}

async function completeTerms(context: OrderContext, request: SolverOrderRequest, caller: Caller): Promise<AgreedOrder> {
  const { registry, clients, keys } = context
  assertSameListing(registry, request.source.asset, request.source.listing)
  assertSameListing(registry, request.destination.asset, request.destination.listing)
  const source = registry.asset(request.source.asset)
  const destination = registry.asset(request.destination.asset)
  const [sourceChain, destinationChain] = [registry.chain(source.chain), registry.chain(destination.chain)]
  assertTimelocksSafe(sourceChain, destinationChain)
  assertTimes(context.now(), request, sourceChain.fundingWindowSeconds)
  const secretHash = parseSecretHash(request.secret_hash)
  const sourceAmount = parseAmount(request.source.amount, 'source.amount')
  const { amount, prices, belowQuote } = await agreeAmount(context, request, sourceAmount, caller)
  const usdMicros = worthOf(prices.destination, destination, amount)
  const customer = customerOf(request, caller)
  context.risk.assertWithinCaps({ from: source.id, to: destination.id, usdMicros, customer })
  // A service counts `insufficient_liquidity` as a broken quote. Orders without a deposit are free, so they must not cause that.
  const free = await assertLiquidity(context, destination.id, amount, ownOfOrder(customer), 'conflict')
  const isBacked = promisedTo(context.soft, destination.id, customer) + amount <= free
  assertWithinLimits(source, sourceAmount)
  assertWithinLimits(destination, amount)
  const sourceClient = clientFor(clients, sourceChain.id)
  const destinationClient = clientFor(clients, destinationChain.id)
  assertCanonical(sourceClient, request.source.initiator)
  assertCanonical(destinationClient, request.destination.redeemer)
  const sourceTerms: HtlcTerms = {
    asset: source.id,
    initiator: request.source.initiator,
    redeemer: sourceClient.identityOf(keys.of(sourceClient)),
    amount: sourceAmount,
    secretHash,
    timelock: sourceChain.timelocks.source,
  }
  const destinationTerms: HtlcTerms = {
    asset: destination.id,
    initiator: destinationClient.identityOf(keys.of(destinationClient)),
    redeemer: request.destination.redeemer,
    amount,
    secretHash,
    timelock: destinationChain.timelocks.destination,
  }
  if (sourceTerms.initiator === sourceTerms.redeemer || destinationTerms.initiator === destinationTerms.redeemer) {
    throw new TandemError('invalid_address', 'the user and the solver must be different parties')
  }
  await Promise.all([sourceClient.prepare?.(sourceTerms), destinationClient.prepare?.(destinationTerms)])
  const swap = (client: ChainClient, terms: HtlcTerms, leg: Leg) => ({
    chain: client.chain.id,
    swapId: client.swapId(terms),
    terms,
    // Only the service needs the user's addresses.
    userAddress: null,
    orderKey: null,
    payer: null,
    clientKey: false,
    agreedAmount: terms.amount,
    depositAddress: null,
    gas: null,
    maxFee: null,
    requiredConfirmations: requiredConfirmations(client.chain, leg === 'source' ? source : destination, terms.amount, leg),
  })
  const order: Order = {
    id: request.order_id,
    solverId: context.solverId,
    createdAt: BigInt(request.created_at),
    deadline: BigInt(request.deadline),
    priceExpiresAt: isBacked ? priceExpiry(context, sourceChain, request) : context.now(),
    source: swap(sourceClient, sourceTerms, 'source'),
    destination: swap(destinationClient, destinationTerms, 'destination'),
  }
  return { order, assetPrices: prices, usdMicros, belowQuote }
}

/**
 * If all orders of an owner together need more than the inventory, its next order gets no firm price: the solver pays if it can when the
 * deposit comes. Otherwise the owner could fund them all, and the refusals would look like broken quotes.
 */
function priceExpiry({ now, pricing }: OrderContext, source: Chain, request: SolverOrderRequest): bigint {
  const expiry = now() + holdSeconds(pricing, source)
  return expiry < BigInt(request.deadline) ? expiry : BigInt(request.deadline)
}

function assertTimes(now: bigint, request: SolverOrderRequest, windowSeconds: bigint): void {
  const createdAt = BigInt(request.created_at)
  const off = createdAt > now ? createdAt - now : now - createdAt
  if (off > CLOCK_TOLERANCE_SECONDS) throw new TandemError('bad_request', `created_at is ${off} seconds off the solver's clock`)
  if (BigInt(request.deadline) > createdAt + windowSeconds) {
    throw new TandemError('bad_request', `deadline is later than created_at + ${windowSeconds} seconds`)
  }
}

function assertWithinLimits({ id, minAmount, maxAmount }: Asset, amount: bigint): void {
  if (amount < minAmount || amount > maxAmount) {
    throw new TandemError('amount_out_of_range', `${amount} of ${id} is not between ${minAmount} and ${maxAmount}`)
  }
}

/** One account in two notations would count as two parties. */
function assertCanonical(client: ChainClient, identity: string): void {
  const canonical = client.text.parseIdentity(identity)
  if (canonical !== identity) throw new TandemError('invalid_address', `"${identity}" must be written as "${canonical}"`)
}
