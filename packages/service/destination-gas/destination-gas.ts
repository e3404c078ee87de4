/**
 * A payout can also give the recipient some of the chain's coin, so that somebody who swaps into a token can move it. The service pays the coin and the solver
 * collects its price with the source, so only solvers that the operator named, because they pass it on, may take such orders.
 */
import type { PayoutGas } from '@tandem/chain-kit/port/abilities/spending.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { divideRoundingUp, formatUsd, type UsdPrice, usdMicros } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { ServiceContext } from '../context.ts'
import type { GasRequest } from './gas-request.ts'

type Coin = Pick<Asset, 'id' | 'decimals'>

export type GasOffer = { readonly coin: Coin; readonly price: UsdPrice; readonly amount: bigint }

type Context = Pick<ServiceContext, 'registry' | 'clients' | 'prices' | 'settings'>
type Paid = { readonly asset: Pick<Asset, 'decimals'>; readonly price: UsdPrice; readonly amount: bigint }

const BIPS = 10_000n
const MICROS_TO_PRICE = 100n
/** With a higher fee, most users would rather get the coin elsewhere, or swap a larger amount. */
const MAX_FEE_BIPS = 1_000n

/** Returns null where the operator offers none, the chain cannot give it, or the price of its coin is unknown. */
export function gasOffered({ registry, clients, prices, settings }: Context, chain: ChainId): GasOffer | null {
  const micros = settings.destinationGas.usdMicros.get(chain)
  const ability = clients.get(chain)?.payoutGas
  if (micros === undefined || ability === undefined || settings.destinationGas.solvers.length === 0) return null
  const { nativeAsset } = registry.chain(chain)
  const price = prices.find(nativeAsset)
  const coin = { id: nativeAsset, decimals: ability.decimals }
  return price === null ? null : { coin, price, amount: amountOf(micros, price, ability) }
}

/** The amount is rounded up: the user pays for it, and cannot choose it. */
function amountOf(micros: bigint, price: UsdPrice, { decimals, minAmount }: PayoutGas): bigint {
  const amount = divideRoundingUp(micros * MICROS_TO_PRICE * 10n ** BigInt(decimals), price)
  return amount > minAmount ? amount : minAmount
}

/** `paid` is the side of the swap whose amount is known. The fee is rounded up to a whole bip, so that the operator does not pay for it. */
export function requestGas(context: Context, destination: Asset, paid: Paid): NonNullable<GasRequest> & Pick<GasOffer, 'coin'> {
  const { nativeAsset } = context.registry.chain(destination.chain)
  if (destination.id === nativeAsset)
    throw new TandemError(
      'bad_request',
      `destination_gas: ${destination.id} is itself the coin that pays fees on ${destination.chain}: leave it out`,
    )
  const offer = gasOffered(context, destination.chain)
  if (offer === null)
    throw new TandemError('bad_request', `destination_gas: not offered on ${destination.chain}; GET /chains shows where it is`)
  const { coin, price, amount } = offer
  const cost = amount * price * 10n ** BigInt(paid.asset.decimals)
  const worth = paid.amount * paid.price * 10n ** BigInt(coin.decimals)
  const feeBips = divideRoundingUp(cost * BIPS, worth)
  if (feeBips > MAX_FEE_BIPS)
    throw new TandemError(
      'amount_out_of_range',
      `destination_gas: it costs ${formatUsd(usdMicros(amount, coin.decimals, price))} dollars, more than ${MAX_FEE_BIPS / 100n} % of this swap: ask for a larger amount, or leave it out`,
    )
  return { coin, amount, feeBips: Number(feeBips) }
}

/** Null means that every solver may take the order. */
export function solversFor({ settings }: Pick<ServiceContext, 'settings'>, gas: GasRequest): readonly string[] | null {
  return gas === null ? null : settings.destinationGas.solvers
}

/** Throws if the recipient can pay for fees already: then the order costs more than it needs to. */
export async function assertHasNoGas(
  { registry, clients, recipients }: Pick<ServiceContext, 'registry' | 'clients' | 'recipients'>,
  recipient: { readonly chain: ChainId; readonly address: string },
  { amount }: NonNullable<GasRequest>,
): Promise<void> {
  const { nativeAsset } = registry.chain(recipient.chain)
  const held = await recipients.readCoin(clientFor(clients, recipient.chain), recipient.address)
  if (held >= amount)
    throw new TandemError(
      'bad_request',
      `destination_gas: ${recipient.address} has ${held} of ${nativeAsset} already: leave it out, for a better price`,
    )
}

/** Throws if a setting has no effect: the name of a chain or solver may be misspelt. */
export function assertUsableGasSettings({
  settings: { destinationGas },
  clients,
  solvers,
}: Pick<ServiceContext, 'settings' | 'clients' | 'solvers'>): void {
  for (const chain of destinationGas.usdMicros.keys())
    if (clients.get(chain)?.payoutGas === undefined)
      throw new Error(
        clients.has(chain)
          ? `destination_gas.usd: a payout on ${chain} cannot give coin: remove it`
          : `destination_gas.usd: ${chain} is not in chains: expected one of ${[...clients.keys()].join(', ')}`,
      )
  const unknown = destinationGas.solvers.find((name) => !solvers.some(({ id }) => id === name))
  if (unknown !== undefined) throw new Error(`destination_gas.solvers: ${unknown} is not in solvers`)
}
