/**
 * Checks whether the solver can pay the network fees of its orders in flight. A payment whose source it cannot redeem is lost: after the
 * timelock the user has both legs. Chains whose redeems pay their fee out of what they spend need no coins.
 */
import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { LegCosts } from '../pricing/leg-costs.ts'

/** Amounts are in the smallest unit of the chain's own coin. */
export type FeeFunds = {
  readonly chain: ChainId
  readonly asset: AssetId
  readonly decimals: number
  readonly address: string
  readonly balance: bigint
  /** The orders in flight need this for their redeems, initiations and refunds, and for payments of this coin. */
  readonly needed: bigint
  /** A further order from this chain, or to it, needs this for the most expensive asset. */
  readonly perRedeem: bigint
  readonly perPayment: bigint
}

export interface FeeFundsReader {
  /** On these chains the sending account pays for its transactions. */
  readonly chains: readonly ChainId[]
  /** Read `flights` first: a payment that is mined meanwhile counts twice, but is never missed. Null means unknown costs. */
  read(chain: ChainId, flights: readonly InFlight[]): Promise<FeeFunds | null>
  /** Returns the network fees that the orders in flight still need of the chain's coin, without payments of that coin. */
  duties(chain: ChainId, flights: readonly InFlight[]): Promise<bigint>
}

/** New orders are refused while the coins cover fewer further redeems than this: several orders may be funded before the next check. */
export const REDEEMS_AHEAD = 4n

type Costs = ReadonlyMap<AssetId, LegCost>

/** Fees may rise to `peakFactor` times the highest of the last day. */
export function createFeeFunds(options: {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
  readonly legCosts: Pick<LegCosts, 'highest'>
  readonly peakFactor: bigint
}): FeeFundsReader {
  const { registry, clients, keys, legCosts, peakFactor } = options
  const payers = new Map([...clients].filter(([, { orderKeys, legCost }]) => orderKeys === undefined && legCost !== undefined))

  async function costsOf(chain: ChainId): Promise<Costs> {
    const active = registry.assetsOf(chain).filter(({ deployment }) => deployment !== null)
    const costs = await Promise.all(active.map(async ({ id }) => [id, await legCosts.highest(id)] as const))
    return new Map(costs.flatMap(([id, cost]) => (cost === null ? [] : [[id, atPeak(cost, peakFactor)] as const])))
  }

  return {
    chains: [...payers.keys()],
    duties: async (chain, flights) => (payers.has(chain) ? dutiesOn(chain, await costsOf(chain), flights) : 0n),
    async read(chain, flights) {
      const client = payers.get(chain)
      if (client === undefined) return null
      const costs = await costsOf(chain)
      const [first] = costs.values()
      if (first === undefined) return null
      const { nativeAsset } = client.chain
      const address = client.addressOf(keys.of(client))
      const balance = await client.balance(nativeAsset, address)
      const highest = (costOf: (cost: LegCost) => bigint) => [...costs.values()].map(costOf).reduce((a, b) => (a > b ? a : b), 0n)
      return {
        chain,
        asset: nativeAsset,
        decimals: first.decimals,
        address,
        balance,
        needed: dutiesOn(chain, costs, flights) + paymentsOf(nativeAsset, flights),
        perRedeem: highest(({ redeem, newRecipient = 0n }) => redeem + newRecipient),
        perPayment: highest(({ initiate, refund, bound = 0n, newRecipient = 0n }) => initiate + refund + bound + newRecipient),
      }
    },
  }
}

function atPeak(cost: LegCost, factor: bigint): LegCost {
  return { ...cost, initiate: cost.initiate * factor, redeem: cost.redeem * factor, refund: cost.refund * factor }
}

/** Returns the network fees that all admitted orders may still need of the chain's coin. */
export function dutiesOn(chain: ChainId, costs: Costs, flights: readonly InFlight[]): bigint {
  const admitted = flights.filter((flight) => flight.admitted)
  const sources = admitted.filter(({ source }) => source.chain === chain && !source.isSpent)
  const redeems = sum(sources.map(({ source }) => costs.get(source.asset)?.redeem ?? 0n))
  // The solver's own account for an asset may have to be created, once.
  const accounts = sum([...new Set(sources.map(({ source }) => source.asset))].map((asset) => costs.get(asset)?.newRecipient ?? 0n))
  const payments = admitted
    .filter(({ destination }) => destination.chain === chain && !destination.isSpent)
    .map(({ destination: { asset, isPaid } }) => {
      const { initiate = 0n, refund = 0n, bound = 0n, newRecipient = 0n } = costs.get(asset) ?? {}
      return isPaid ? refund : initiate + newRecipient + bound + refund
    })
  const kept = [...costs.values()].reduce((highest, cost) => ((cost.kept ?? 0n) > highest ? (cost.kept ?? 0n) : highest), 0n)
  return redeems + accounts + sum(payments) + kept
}

/** Where the coin itself is swapped, these amounts are promised and not paid yet. */
function paymentsOf(coin: AssetId, flights: readonly InFlight[]): bigint {
  return sum(flights.flatMap(({ destination }) => (destination.asset === coin && !destination.isPaid ? [destination.amount] : [])))
}

/** Returns the amount that is missing for the orders in flight and for `more`; 0 if there is enough. */
export function missing({ balance, needed }: FeeFunds, more: bigint): bigint {
  const short = needed + more - balance
  return short > 0n ? short : 0n
}

export function topUp(funds: FeeFunds, more: bigint): string {
  const { asset, address, balance, needed } = funds
  return `${address} has ${balance} of ${asset} (smallest unit) for network fees, and needs ${needed + more}: send ${missing(funds, more)} or more to it`
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
