/** The affiliates of an order: who gets how much, in which asset. */
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { AffiliateFee, Swap } from '@tandem/protocol/order.ts'
import type { CreateOrderRequest } from '@tandem/protocol/wire/order.ts'
import type { ServiceContext } from '../context.ts'
import { type ActiveAsset, parseAsset } from '../quotes/pair.ts'

const BIPS = 10_000n

export type AffiliateShare = {
  /** The address is in the canonical notation of the chain of `asset`. */
  readonly address: string
  readonly asset: ActiveAsset
  readonly feeBips: number
}

type Context = Pick<ServiceContext, 'registry' | 'clients' | 'claims' | 'settings'>

/** Throws if an affiliate could never be paid: its address must be valid on the chain of its payout asset, whether a contract or the operator pays. */
export function parseShares(context: Context, given: CreateOrderRequest['affiliate_fees'], source: ActiveAsset): readonly AffiliateShare[] {
  return (given ?? []).map(({ address, fee, asset: named }, index) => {
    const field = `affiliate_fees.${index}`
    const asset = payoutAsset(context, named ?? null, source, `${field}.asset`)
    return { address: parseRecipient(context, asset, address, `${field}.address`), asset, feeBips: fee }
  })
}

function payoutAsset({ registry, claims, settings }: Context, named: string | null, source: ActiveAsset, field: string): ActiveAsset {
  if (named === null) return settings.affiliateAsset === null ? source : parseAsset(registry, settings.affiliateAsset, field)
  const asset = parseAsset(registry, named, field)
  if (claims.paysOn(asset.chain)) return asset
  const payable = registry.assets.filter(({ chain, deployment }) => deployment !== null && claims.paysOn(chain)).map(({ id }) => id)
  const others = payable.length === 0 ? 'leave asset out' : `expected one of ${payable.join(', ')}`
  throw new TandemError('bad_request', `${field}: affiliates cannot be paid in ${asset.id} here; ${others}`)
}

function parseRecipient({ clients }: Context, { id, chain }: ActiveAsset, address: string, field: string): string {
  try {
    return clientFor(clients, chain).text.parseAddress(address)
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    throw new TandemError(error.code, `${field}: this affiliate is paid in ${id}, and ${error.message}`, { cause: error })
  }
}

type Priced = { readonly asset: Pick<Asset, 'id' | 'decimals'>; readonly price: UsdPrice }

/** What each affiliate is owed is rounded down, so it is never more than was collected. */
export function affiliateFees(
  shares: readonly AffiliateShare[],
  source: Priced & { readonly amount: bigint },
  priceOf: (asset: Asset['id']) => UsdPrice,
): readonly AffiliateFee[] {
  return shares.map(({ address, asset, feeBips }) => {
    const fee = source.amount * BigInt(feeBips)
    const amount = asset.id === source.asset.id ? fee / BIPS : convert(fee, source, { asset, price: priceOf(asset.id) })
    return { address, asset: asset.id, feeBips, amount: amount.toString() }
  })
}

/** The fees are scaled to the filled amount and rounded down, as on the ledger. */
export function filledFees(
  fees: readonly AffiliateFee[],
  { terms, agreedAmount }: Pick<Swap, 'terms' | 'agreedAmount'>,
): readonly AffiliateFee[] {
  if (terms.amount === agreedAmount) return fees
  return fees.map((fee) => ({ ...fee, amount: ((BigInt(fee.amount) * terms.amount) / agreedAmount).toString() }))
}

/** This divides once, so that it rounds once. */
function convert(fee: bigint, from: Priced, to: Priced): bigint {
  return (fee * from.price * 10n ** BigInt(to.asset.decimals)) / (BIPS * to.price * 10n ** BigInt(from.asset.decimals))
}
