/** What the solver does not take on: halted chains and pairs, more than its caps allow, and customers whose orders cost it too much. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Halt } from '@tandem/party/store/solver/halts.ts'
import { type UsdPrice, usdMicros } from '@tandem/protocol/amount.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { type Caps, leftOf, whyOverCap } from './caps.ts'
import type { Customer, Customers } from './customers.ts'
import type { ExposureWatch } from './exposure-watch.ts'
import { type Halts, OPERATOR } from './halts.ts'
import { heldPercent, type PremiumRules, premiumOf } from './premium.ts'
import { pairOf } from './scope.ts'

/** All but `payCheck` answer from memory: they are asked at every quote and order. */
export interface Risk {
  /** Throws while nothing new is taken of this pair. */
  assertOpen(from: AssetId, to: AssetId): void
  /** What the customer's past orders add to the price. Throws for a customer whose orders are refused. */
  premiumBips(customer: Customer & { readonly clientSecret: boolean }): number
  /** Throws if the order is too much for its pair, app or owner. */
  assertWithinCaps(order: { readonly from: AssetId; readonly to: AssetId; readonly usdMicros: bigint; readonly customer: Customer }): void
  /** Throws if so much more from this chain would be beyond what may be unfinal there. */
  assertRoom(from: ChainId, usdMicros: bigint): void
  /** How much of what may be open of client-held secrets is so: what the next one costs. */
  clientSecret(): { readonly openPercent: bigint }
  /** Whether the deposit of an order whose client kept the secret of a payment of this worth is given back before its timelock. */
  refundsWithheld(usdMicros: bigint): boolean
  /** What the cap of the pair leaves, in millionths of a dollar; null: it has none. */
  leftUsdMicros(from: AssetId, to: AssetId): bigint | null
  /** What a quote of this customer keeps from others of its amount, in percent. */
  heldPercent(customer: Customer): bigint
  /** A quote was given. `usdMicros`: what it would pay. */
  noteQuote(customer: Customer, usdMicros: bigint): void
  /** An order was accepted. */
  noteOrder(customer: Customer & { readonly usdMicros: bigint }): void
  /** Right before the solver commits to paying. A text: it does not pay for this order. Throws while that is undecided. */
  payCheck(state: OrderState): Promise<string | null>
}

/** A circuit breaker may close again soon. Until then the order waits; after that the user gets the deposit back. */
const PATIENCE_SECONDS = 60n
/** The largest signed 64-bit number. */
const MOST_USD_MICROS = 2n ** 63n - 1n

/** In millionths of a dollar. */
export function worthOf(price: UsdPrice, { decimals }: Pick<Asset, 'decimals'>, amount: bigint): bigint {
  const worth = usdMicros(amount, decimals, price)
  return worth < MOST_USD_MICROS ? worth : MOST_USD_MICROS
}

export function createRisk({
  halts,
  customers,
  exposure,
  caps,
  premium,
  now,
}: {
  readonly exposure: Pick<ExposureWatch, 'assertRoom' | 'unrevealedPercent'>
  readonly halts: Pick<Halts, 'find' | 'readFor'>
  readonly customers: Pick<Customers, 'recordsOf' | 'loadsOf' | 'note' | 'noteQuote'>
  readonly caps: Caps
  readonly premium: PremiumRules
  readonly now: () => bigint
}): Risk {
  return {
    assertOpen(from, to) {
      const halt = halts.find(from, to)
      if (halt !== null) throw new TandemError('chain_unavailable', textOf(halt))
    },
    premiumBips(customer) {
      const found = premiumOf(premium, customers.recordsOf(customer), customer.clientSecret)
      if (found.kind === 'refused') throw new TandemError('conflict', found.why)
      return found.bips
    },
    assertWithinCaps({ from, to, usdMicros: worth, customer }) {
      const loads = customers.loadsOf(customer, pairOf(from, to))
      const overPair = whyOverCap(caps.pair, loads.pair, worth)
      if (overPair !== null) throw new TandemError('amount_out_of_range', `too much of ${pairOf(from, to)}: ${overPair}`)
      for (const who of ['app', 'owner'] as const) {
        if (customer[who] === null) continue
        const why = whyOverCap(caps[who], loads[who], worth)
        if (why !== null) throw new TandemError('conflict', `too much for this ${who}: ${why}`)
      }
    },
    assertRoom: exposure.assertRoom,
    refundsWithheld: (usdMicros) => usdMicros <= premium.withheldUnit,
    clientSecret: () => ({ openPercent: exposure.unrevealedPercent() }),
    leftUsdMicros: (from, to) => leftOf(caps.pair, customers.loadsOf({ app: null, owner: null }, pairOf(from, to)).pair),
    heldPercent(customer) {
      const { app, quotes } = customers.recordsOf(customer)
      return heldPercent(app, quotes)
    },
    noteQuote: customers.noteQuote,
    noteOrder: (customer) => customers.note(customer, customer.usdMicros),
    async payCheck({ order }) {
      const halt = await halts.readFor(order)
      if (halt === null) return null
      const text = textOf(halt)
      if (halt.cause !== OPERATOR && now() - halt.since < PATIENCE_SECONDS) throw new ChainFailure('would-fail', text)
      return text
    },
  }
}

/** Services show it to their users. What an operator writes is for other operators. */
function textOf({ scope, cause, reason }: Pick<Halt, 'scope' | 'cause' | 'reason'>): string {
  return cause === OPERATOR ? `halted (${scope}) by the operator of the solver` : `halted (${scope}): ${reason}`
}
