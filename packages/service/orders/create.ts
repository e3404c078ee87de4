/** The route POST /orders makes and stores an order, and returns how to fund it. */
import { hash, randomBytes } from 'node:crypto'
import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { App } from '@tandem/party/store/apps/apps.ts'
import type { NewOrder } from '@tandem/party/store/orders/insert-orders.ts'
import { findOrder, findRepeated, isSecretHashUsed, type StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed, sealSwaps } from '@tandem/party/store/orders/swap-seals.ts'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { depositPackageOf } from '@tandem/protocol/funding/deposit-package.ts'
import { type CreateOrderResult, fundingToWire } from '@tandem/protocol/funding/funding.ts'
import type { ToldOnce } from '@tandem/protocol/funding/way.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { orderWorth } from '@tandem/protocol/order-worth.ts'
import { standingOf } from '@tandem/protocol/payout-limits.ts'
import { createSecret, type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import type { CreateOrderRequest } from '@tandem/protocol/wire/order.ts'
import { assertHealthy, type ServiceContext } from '../context.ts'
import { assertHasNoGas, requestGas } from '../destination-gas/destination-gas.ts'
import type { GasRequest } from '../destination-gas/gas-request.ts'
import { affiliateFees } from '../earnings/shares.ts'
import { assertWithinLimits } from '../quotes/pair.ts'
import { assertNotHalted, extraFeeBips } from '../quotes/prices.ts'
import type { IssuedQuote } from '../quotes/quote-ids.ts'
import { negotiate } from './negotiate.ts'
import { createUserParty, hashRequest, type OrderRequest, type Owner, parseOrderRequest, type UserParty } from './request.ts'

/**
 * The request is idempotent by Idempotency-Key, or by owners and nonce. A repeat gets the first answer without the refund package and the
 * order token, of which only the hash is stored.
 */
export async function createOrder(
  context: ServiceContext,
  app: App,
  body: CreateOrderRequest,
  idempotencyKey: string | null,
): Promise<CreateOrderResult> {
  const request = parseOrderRequest(context, body)
  const asked: Asked = { app, idempotencyKey, request, requestHash: hashRequest(request) }
  const known = await findSame(context, asked)
  if (known !== null) return describeAgain(context, app, known)
  return makeOrder(context, asked)
}

type Asked = { readonly app: App; readonly idempotencyKey: string | null; readonly request: OrderRequest; readonly requestHash: string }

async function makeOrder(context: ServiceContext, asked: Asked): Promise<CreateOrderResult> {
  const { app, request } = asked
  const { pair } = request
  assertWithinLimits(pair.source, request.sourceAmount, 'source.amount')
  assertWithinLimits(pair.destination, request.destinationAmount, 'destination.amount')
  const affiliateBips = request.affiliateShares.reduce((sum, share) => sum + share.feeBips, 0)
  const extra = extraFeeBips(context.settings, affiliateBips, 'affiliate_fees')
  if (request.deposit && !app.sponsorship && clientFor(context.clients, pair.source.chain).prefund !== undefined)
    throw new TandemError('bad_request', 'deposit: the service pays no fees for users of this app, because its sponsorship is off')
  const quote = readQuote(context, app, request, extra)
  const assetPrices = { source: context.prices.of(pair.source.id), destination: context.prices.of(pair.destination.id) }
  assertNotHalted(context, pair.source.id, pair.destination.id)
  const gas = orderedGas(context, request, quote, assetPrices.source)
  const shares = affiliateFees(
    request.affiliateShares,
    { asset: pair.source, amount: request.sourceAmount, price: assetPrices.source },
    context.prices.of,
  )
  assertHealthy(context, [pair.sourceChain.id, pair.destinationChain.id])
  context.relayFunds.assertPayable(pair.destinationChain.id)
  if (gas !== null) context.relayFunds.assertCanGiveGas(pair.destinationChain.id)
  if (request.deposit) context.relayFunds.assertCanInitiate(pair.sourceChain.id)
  await context.operatorHalts.assertOpen([pair.sourceChain.id, pair.destinationChain.id])

  // This check comes before the solver is asked, which would reserve the hash for an order that cannot be stored.
  if (request.secretHash !== null && (await isSecretHashUsed(context.db, request.secretHash))) throw secretHashUsed()

  await assertUsersCanReceive(context, app, request)
  if (gas !== null) await assertHasNoGas(context, { chain: pair.destinationChain.id, address: request.destinationOwner.name }, gas)
  const createdAt = context.now()
  const { secret, secretHash } = chooseSecret(request.secretHash)
  const slippageBips = request.slippageBips ?? app.defaultSlippageBips
  const users = {
    source: createUserParty(clientFor(context.clients, pair.source.chain), request.sourceOwner),
    destination: createUserParty(clientFor(context.clients, pair.destination.chain), request.destinationOwner),
  }
  const { orderId, orderToken, nonce } = drawIds()
  const order = await withFeeHint(affiliateBips, () =>
    negotiate(context, {
      orderId,
      app: app.name,
      secretHash,
      createdAt,
      deadline: createdAt + pair.sourceChain.fundingWindowSeconds,
      slippageBips,
      extraFeeBips: extra + (gas?.feeBips ?? 0),
      request,
      quote,
      gas,
      users,
    }),
  )
  // This comes before the order is stored. If the funding cannot be described, the order must not exist, or its token would be lost.
  const refundPackage = packageOf(context, order, users.source, pair.source.deployment)
  const result = await describeFunding(context, app, order, { orderToken, refundPackage })
  const tokenHash = hashToken(orderToken)
  const written = await write(
    context,
    {
      order,
      app: app.name,
      nonce: request.nonce ?? nonce,
      ...ownersOf(request),
      slippageBips,
      affiliateFees: shares,
      idempotencyKey: asked.idempotencyKey,
      requestHash: asked.requestHash,
      tokenHash,
      assetPrices,
      seals: sealSwaps(context.sealer, { order, tokenHash, requestHash: asked.requestHash }),
      clientSecret: secret === null,
      worth: orderWorth(order, pair, assetPrices),
    },
    { secret, 'source-key': users.source.privateKey, 'destination-key': users.destination.privateKey },
  )
  if (written) context.expectOrders([order.source.chain, order.destination.chain])
  // An order that exists is not written again: either a concurrent repeat won, or this order is stored and only the answer of the database was lost.
  if (written || (await findOrder(context.db, order.id)) !== null) return result
  const winner = await findSame(context, asked)
  if (winner === null) {
    if (request.secretHash !== null) throw secretHashUsed()
    throw new Error('an order was refused as a repeat, but no earlier order matches it')
  }
  return describeAgain(context, app, winner)
}

/** The seal is checked first: with a row that somebody changed, the user would pay into another HTLC. */
export async function describeAgain(context: ServiceContext, app: App, stored: StoredOrder): Promise<CreateOrderResult> {
  assertSealed(context.sealer, stored)
  return describeFunding(context, app, stored.order, null)
}

/** The error gets a hint, because a quote without the affiliates' fee promises more than the order can pay. */
async function withFeeHint<T>(affiliateBips: number, negotiating: () => Promise<T>): Promise<T> {
  try {
    return await negotiating()
  } catch (error) {
    if (affiliateBips === 0 || !(error instanceof TandemError) || error.code !== 'price_moved') throw error
    const { retryAfterSeconds } = error
    throw new TandemError(
      error.code,
      `${error.message}; affiliate_fees take ${affiliateBips} bips of it: ask for the quote with affiliate_fee=${affiliateBips}`,
      { cause: error, ...(retryAfterSeconds !== null && { retryAfterSeconds }) },
    )
  }
}

/** Returns null if the order is bound to no quote. */
function readQuote({ quoteIds, now }: ServiceContext, app: App, request: OrderRequest, extra: number): IssuedQuote | null {
  const { pair, quoteId, solverId, sourceAmount, destinationAmount } = request
  if (quoteId === null) return null
  const quote = quoteIds.read(quoteId, { ...pair, extraFeeBips: extra, app: app.name }, now())
  const refuse = (why: string) => new TandemError('bad_request', `quote_id: ${why}`)
  if (solverId !== null && solverId !== quote.solverId)
    throw refuse(`the quote is of solver ${quote.solverId}, solver_id names ${solverId}`)
  if (quote.sourceAmount !== sourceAmount)
    throw refuse(`the quote is for ${quote.sourceAmount} of ${pair.source.id}, source.amount is ${sourceAmount}`)
  if (quote.destinationAmount < destinationAmount)
    throw refuse(`the quote gives ${quote.destinationAmount} of ${pair.destination.id}, destination.amount asks for ${destinationAmount}`)
  return quote
}

/** What was quoted is given, at its quoted price. An order without a quote gets the present price. */
function orderedGas(
  context: ServiceContext,
  { destinationGas, pair, sourceAmount }: OrderRequest,
  quote: IssuedQuote | null,
  sourcePrice: UsdPrice,
): GasRequest {
  if (quote !== null && (quote.gas !== null) !== destinationGas)
    throw new TandemError(
      'bad_request',
      quote.gas === null
        ? 'quote_id: the quote has no destination_gas: ask for the quote with destination_gas=true'
        : 'quote_id: the quote has destination_gas, the order not: ask for a quote without it, for a better price',
    )
  if (!destinationGas) return null
  return quote?.gas ?? requestGas(context, pair.destination, { asset: pair.source, price: sourcePrice, amount: sourceAmount })
}

/** The source pays the user if the swap fails, the destination if it succeeds. A refund address that is set later is not checked here. */
async function assertUsersCanReceive(
  { clients, recipients, failedPayouts }: ServiceContext,
  app: App,
  request: OrderRequest,
): Promise<void> {
  const { pair, sourceOwner, destinationOwner } = request
  const { sourceOwner: owner, destinationOwner: recipient } = ownersOf(request)
  const { refusal, isTrusted } = standingOf(await failedPayouts(), { chain: pair.destination.chain, recipient, owner, app: app.name })
  if (refusal !== null) throw new TandemError('conflict', `destination.owner: ${refusal}; pay to another address, or try again later`)
  const payout = { amount: request.destinationAmount, payer: null, isTrusted }
  // Anyone may pay at a deposit address, so the owner need not have held the asset. A payer's own account has.
  const refund = request.deposit ? ({ amount: request.sourceAmount, payer: null, isTrusted: true, isRefund: true } as const) : null
  const check = async ({ id: asset, chain }: Asset, owner: Owner, field: string, planned: PlannedPayout | null) => {
    if (owner === null) return
    const address = owner.key?.address ?? owner.name
    await recipients.assertCanReceive(clientFor(clients, chain), { address, asset, field, payout: planned })
  }
  await Promise.all([
    check(pair.source, sourceOwner, 'source.owner', refund),
    check(pair.destination, destinationOwner, 'destination.owner', payout),
  ])
}

/** With a secret hash of the client, the secret is null, because the service does not have it. */
function chooseSecret(given: Hex32 | null): { readonly secret: Hex32 | null; readonly secretHash: Hex32 } {
  if (given !== null) return { secret: null, secretHash: given }
  const secret = createSecret()
  return { secret, secretHash: hashSecret(secret) }
}

/** A shared secret would let one order redeem the other. The error does not say which app made the other order. */
function secretHashUsed(): TandemError {
  return new TandemError('conflict', 'secret_hash was used before: every order needs a secret of its own')
}

/** The order, both swaps and the sealed values are written in one transaction. Returns false if the same order was stored meanwhile. */
async function write(
  { orderWriter, sealer }: ServiceContext,
  input: NewOrder,
  secrets: { readonly secret: string | null; readonly 'source-key': string | null; readonly 'destination-key': string | null },
): Promise<boolean> {
  const sealed = (['secret', 'source-key', 'destination-key'] as const).flatMap((purpose) => {
    const value = secrets[purpose]
    return value === null ? [] : [sealer.seal(input.order.id, purpose, value)]
  })
  const written = await orderWriter.write({ input, sealed })
  // Only a written order is remembered: another order with this id has another secret.
  if (written) sealer.remember(input.order.id, sealed)
  return written
}

async function findSame({ db }: ServiceContext, { app, idempotencyKey, request, requestHash }: Asked): Promise<StoredOrder | null> {
  const { byKey, byNonce } = await findRepeated(db, { app: app.name, idempotencyKey, ...ownersOf(request), nonce: request.nonce })
  if (byKey !== null && byKey.requestHash !== requestHash)
    throw new TandemError(
      'conflict',
      `this Idempotency-Key was used for order ${byKey.order.id} with another request: use a new key for a new order`,
    )
  if (byNonce !== null && byNonce.requestHash !== requestHash)
    throw new TandemError(
      'conflict',
      `this nonce was used by the same owners for order ${byNonce.order.id} with another request: use another nonce for a new order`,
    )
  // The first caller has the token that sets the refund address. It may be a stranger who guessed the nonce, so the user must not fund that order.
  if (byNonce !== null && byKey === null && request.sourceOwner === null)
    throw new TandemError(
      'conflict',
      `order ${byNonce.order.id} was made with this nonce already, and its order_token shown once: use another nonce, give source.owner, or repeat with the same Idempotency-Key`,
    )
  return byKey ?? byNonce
}

function ownersOf(request: OrderRequest): { readonly sourceOwner: string; readonly destinationOwner: string } {
  return { sourceOwner: request.sourceOwner?.name ?? '', destinationOwner: request.destinationOwner.name }
}

/** The package lets the user get the money back without the service. It may contain the order's private key, so it is returned once and never logged. */
function packageOf(
  { clients, registry }: ServiceContext,
  order: Order,
  user: UserParty,
  deployment: Deployment,
): Readonly<Record<string, unknown>> | null {
  const { source } = order
  if (source.depositAddress !== null) return depositPackageOf(order, deployment, registry.chain(source.chain))
  return clientFor(clients, source.chain).orderKeys?.refundPackage(source.terms, user.privateKey, source.userAddress) ?? null
}

/** The current state of the chain decides how to fund the source. `once` is set only in the first answer. */
async function describeFunding(
  { clients }: ServiceContext,
  { approval }: App,
  order: Order,
  once: ToldOnce | null,
): Promise<CreateOrderResult> {
  const { chain, terms, payer, depositAddress } = order.source
  if (depositAddress !== null) return fundingToWire(order.id, once, { kind: 'deposit', to: depositAddress, amount: terms.amount })
  return fundingToWire(order.id, once, await clientFor(clients, chain).funding({ terms, deadline: order.deadline, payer, approval }))
}

/** All bytes are drawn at once, because each draw costs a call to the operating system. */
function drawIds(): { readonly orderId: string; readonly orderToken: string; readonly nonce: string } {
  const random = randomBytes(72)
  return {
    orderId: random.toString('hex', 0, 32),
    orderToken: random.toString('hex', 32, 64),
    nonce: random.readBigUInt64BE(64).toString(),
  }
}

export function hashToken(token: string): string {
  return hash('sha256', token)
}
