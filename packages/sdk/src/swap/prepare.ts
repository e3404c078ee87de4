/** The first half of a swap: quote, order, verification. Nobody pays here. */

import { NotPossibleError } from '@tandem/chain-kit/browser/refusals.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { minAfterSlippage } from '@tandem/protocol/slippage.ts'
import type { CreateOrderRequest } from '@tandem/protocol/wire/order.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'
import { addressOn } from '../families/parse-address.ts'
import type { PinnedAsset } from '../verify/pinned.ts'
import { nodeOf, now, type SwapContext } from './context.ts'
import { addSwap, type SavedSwap, verifyNew } from './saved-swap.ts'

export type QuoteRequest = {
  /** Assets as <chain>:<token>. */
  readonly from: string
  readonly to: string
  /** One of both is given, in the smallest unit. */
  readonly fromAmount?: bigint
  readonly toAmount?: bigint
  /**
   * The quote and the order are refused if the user would get less, after the fee of the payout, with any `slippage`. It goes with
   * `fromAmount`.
   */
  readonly minToAmount?: bigint
  /** It goes with `toAmount`: quote and order are refused if the user would pay more. */
  readonly maxFromAmount?: bigint
  /** The user is paid at this address of the destination chain. */
  readonly recipient: string
  /** In bips. The default is 0, so the user gets at least what was quoted. */
  readonly slippage?: number
  readonly affiliateFees?: CreateOrderRequest['affiliate_fees']
  /** The user signs instead of sending, where chain, asset and app allow it. The default is false. */
  readonly gasless?: boolean
  /**
   * `address`: the order is paid by a plain transfer from anywhere, on chains whose HTLCs take calls only. The wallet pays to an address, as `depositWallet`
   * does, and its own address gets what is refunded or returned.
   */
  readonly deposit?: 'address'
  /**
   * The payout of a token also gives the recipient some of the destination chain's coin, to pay for fees there. It costs what `destination_gas` of the quote says,
   * inside its amounts. The default is false.
   */
  readonly destinationGas?: boolean
  /** `service`: the service makes the secret and redeems, also while this page is closed; together with the solver it could keep both sides. Default: `client`. */
  readonly secret?: 'client' | 'service'
}

/**
 * With the user's own limit, for instance from a `quote` that the user has seen. It has no default: the SDK knows no price but the service's word, so a
 * limit that it took from a quote of its own would limit nothing.
 */
export type SwapRequest = QuoteRequest &
  ({ readonly fromAmount: bigint; readonly minToAmount: bigint } | { readonly toAmount: bigint; readonly maxFromAmount: bigint })

/** Callers without types could leave the limit out. */
export function assertLimit({ fromAmount, minToAmount, maxFromAmount }: QuoteRequest): void {
  const [limit, name] = fromAmount === undefined ? [maxFromAmount, 'maxFromAmount'] : [minToAmount, 'minToAmount']
  if (limit === undefined) throw new Error(`name the user's own limit in ${name}: the price is the service's word`)
}

/** `created`: the service's answer, not verified yet. */
export type Ordered = { readonly saved: SavedSwap; readonly created: CreateOrderResult }

export async function quoteFor(context: SwapContext, request: QuoteRequest, signal?: AbortSignal): Promise<Quote> {
  const { pinnedAsset } = await import('../verify/pinned.ts')
  const { verifyQuote } = await import('../verify/verify-quote.ts')
  const { deployments = {}, registry } = context.options
  const [source, destination] = [
    await pinnedAsset(request.from, deployments, registry),
    await pinnedAsset(request.to, deployments, registry),
  ]
  const { fromAmount, toAmount, slippage = 0 } = request
  if ((fromAmount === undefined) === (toAmount === undefined)) throw new Error('give exactly one of fromAmount and toAmount')
  const affiliateFee = (request.affiliateFees ?? []).reduce((sum, { fee }) => sum + fee, 0)
  const [best] = await context.client.quote(
    {
      from: request.from,
      to: request.to,
      ...(fromAmount === undefined ? { to_amount: String(toAmount) } : { from_amount: fromAmount.toString() }),
      ...(affiliateFee > 0 && { affiliate_fee: affiliateFee }),
      slippage,
      ...(request.destinationGas === true && { destination_gas: true }),
      // The price must be for a user who keeps the secret.
      ...(request.secret !== 'service' && { client_secret: true }),
    },
    signal === undefined ? {} : { signal },
  )
  if (best === undefined) throw new Error('the service answered without a quote')
  const amount = fromAmount === undefined ? { exactOut: toAmount ?? 0n } : { exactIn: fromAmount }
  const { minToAmount = null, maxFromAmount = null } = request
  const { destinationGas: gas = false } = request
  verifyQuote(best, { source, destination, amount, minToAmount, maxFromAmount, slippage, gas, now: now() })
  return best
}

/** Makes the order, and saves it before anybody is asked to pay. */
export async function makeOrder(
  context: SwapContext,
  request: QuoteRequest,
  quote: Quote,
  wallet: Wallet,
  signal?: AbortSignal,
): Promise<Ordered> {
  const { pinnedAsset } = await import('../verify/pinned.ts')
  const { hashSecret } = await import('@tandem/protocol/secret.ts')
  const { deployments = {}, registry } = context.options
  const source = await pinnedAsset(request.from, deployments, registry)
  const destination = await pinnedAsset(request.to, deployments, registry)
  if (!wallet.families.includes(source.chain.family))
    throw new NotPossibleError('wrong_wallet', source.chain.id, `the wallet does not work on ${source.chain.id}`)
  if (request.secret !== 'service') assertLockCanBeRead(context, destination)
  const index = await context.keys.nextIndex()
  const secretHash = request.secret === 'service' ? null : hashSecret(await context.keys.secretFor(index))
  const sourceFamily = await loadFamily(source.chain.family)
  const takesDeposit = request.deposit === 'address' && sourceFamily.ownKeys === undefined
  if (takesDeposit && sourceFamily.depositAddresses === undefined)
    throw new Error(`orders on ${source.chain.id} have no deposit addresses: leave deposit out, and pay by a wallet of this chain`)
  const refundTo = takesDeposit
    ? addressOn(sourceFamily, source.chain, await wallet.address(source.chain))
    : await wallet.address(source.chain)
  const payout = addressOn(await loadFamily(destination.chain.family), destination.chain, request.recipient)
  const keys = {
    source: await ownKeyOf(context, source, 'source', { index, secretHash }),
    // Without the secret the owner of a key could not redeem.
    destination: secretHash === null ? null : await ownKeyOf(context, destination, 'destination', { index, secretHash }),
  }
  const minAmount = minAmountOf(quote, request)
  const body: CreateOrderRequest = {
    source: { asset: source.asset.id, amount: quote.source.amount, owner: keys.source ?? refundTo },
    destination: { asset: destination.asset.id, amount: quote.destination.amount, owner: keys.destination ?? payout },
    slippage: slippageWithin(minAmount, BigInt(quote.destination.amount), request.slippage ?? 0),
    quote_id: quote.quote_id,
    ...(request.affiliateFees != null && { affiliate_fees: request.affiliateFees }),
    ...(secretHash !== null && { secret_hash: secretHash }),
    ...(request.destinationGas === true && { destination_gas: true }),
    ...(takesDeposit && { deposit: 'address' as const }),
  }
  const created = await context.client.createOrder(body, signal === undefined ? {} : { signal })
  await verifyNew(context, created.order_id)
  const saved: SavedSwap = {
    orderId: created.order_id,
    index,
    request: body,
    minDestinationAmount: minAmount.toString(),
    ...(request.minToAmount !== undefined && request.minToAmount > 0n && { minToAmount: request.minToAmount.toString() }),
    secretHash,
    orderToken: created.order_token ?? null,
    ownKeys: (['source', 'destination'] as const).filter((leg) => keys[leg] !== null),
    payout,
    refundTo,
    refundPackage: ('refund_package' in created && created.refund_package) || null,
    paidFor: null,
    paidTx: null,
    payer: null,
    madeAt: Date.now(),
    phase: 'made',
  }
  await addSwap(context, saved)
  return { saved, created }
}

/** The amount that must be locked for the user: what the slippage leaves, and never less than the user's own limit and the fee of the payout. */
function minAmountOf({ destination, network_fee: fee = '0' }: Quote, { slippage = 0, minToAmount }: QuoteRequest): bigint {
  const left = minAfterSlippage(BigInt(destination.amount), slippage)
  const limit = minToAmount === undefined ? 0n : minToAmount + BigInt(fee)
  return limit > left ? limit : left
}

/** The service gets no more slippage than the user's limit leaves, so it refuses too. It is rounded down, so the result is never below `minAmount`. */
function slippageWithin(minAmount: bigint, quoted: bigint, slippageBips: number): number {
  return Math.min(slippageBips, Number(((quoted - minAmount) * 10_000n) / quoted))
}

/** The result says whether the SDK can see for itself that a destination is funded. Only then may the user keep the secret. */
export async function keepsSecret(context: SwapContext, to: string): Promise<boolean> {
  const { pinnedAsset } = await import('../verify/pinned.ts')
  return nodeOf(context, (await pinnedAsset(to, context.options.deployments ?? {}, context.options.registry)).chain) !== null
}

/** A secret that is revealed on the service's word alone may pay the solver, and the user gets nothing. */
function assertLockCanBeRead(context: SwapContext, { chain }: PinnedAsset): void {
  if (nodeOf(context, chain) !== null) return
  throw new Error(
    `without a node of ${chain.id} the SDK cannot see that it is funded: name one in the option nodes, or ask for secret: 'service', and rely on the service for the payout`,
  )
}

/**
 * The user's own key takes part where the family has such keys: a service that has the user's key can take the deposit together with the solver.
 * It does not where the user relies on the service for the secret too, and has no node to act without it.
 */
async function ownKeyOf(context: SwapContext, { chain }: PinnedAsset, leg: Leg, given: { index: number; secretHash: string | null }) {
  const { ownKeys } = await loadFamily(chain.family)
  if (ownKeys === undefined || (given.secretHash === null && nodeOf(context, chain) === null)) return null
  return ownKeys.publicKeyOf(await context.keys.keyFor(given.index, leg))
}
