/** Decides what the solver refuses: halted chains and pairs, amounts beyond its caps, and customers whose orders cost it too much. */
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

/** All but `payCheck` answer from memory, because every quote and order calls them. */
export interface Risk {
  assertOpen(from: AssetId, to: AssetId): void
  /** Returns what the customer's past orders add to the price. Throws for a customer whose orders are refused. */
  premiumBips(customer: Customer & { readonly clientSecret: boolean }): number
  assertWithinCaps(order: { readonly from: AssetId; readonly to: AssetId; readonly usdMicros: bigint; readonly customer: Customer }): void
  /** Throws if this additional amount from the chain would exceed the limit of unfinal deposits. */
  assertBelowUnfinalCap(from: ChainId, usdMicros: bigint): void
  /** The open amount of client-held secrets, in percent of its limit, decides the price of the next one. */
  clientSecret(): { readonly openPercent: bigint }
  /** Returns whether a deposit may be refunded before its timelock although its client withheld the secret of a payment of this worth. */
  refundsWithheld(usdMicros: bigint): boolean
  /** Returns what the cap of the pair leaves, in millionths of a dollar; null if it has no cap. */
  leftUsdMicros(from: AssetId, to: AssetId): bigint | null
  /** Returns the part of its amount that a quote of this customer holds, in percent. */
  heldPercent(customer: Customer): bigint
  noteQuote(customer: Customer, usdMicros: bigint): void
  noteOrder(customer: Customer & { readonly usdMicros: bigint }): void
  /** Checks right before the solver commits to pay. Returns the reason why it does not pay, or null. Throws while undecided. */
  payCheck(state: OrderState): Promise<string | null>
}

/** A circuit breaker may close again soon, so orders wait this long for it. After that the user gets the deposit back. */
const MAX_HALT_WAIT_SECONDS = 60n
/** PostgreSQL's bigint holds no larger number. */
const MAX_USD_MICROS = 2n ** 63n - 1n

/** The result is in millionths of a dollar. */
export function worthOf(price: UsdPrice, { decimals }: Pick<Asset, 'decimals'>, amount: bigint): bigint {
  const worth = usdMicros(amount, decimals, price)
  return worth < MAX_USD_MICROS ? worth : MAX_USD_MICROS
}

export function createRisk({
  halts,
  customers,
  exposure,
  caps,
  premium,
  now,
}: {
  readonly exposure: Pick<ExposureWatch, 'assertBelowUnfinalCap' | 'unrevealedPercent'>
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
    assertBelowUnfinalCap: exposure.assertBelowUnfinalCap,
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
      if (halt.cause !== OPERATOR && now() - halt.since < MAX_HALT_WAIT_SECONDS) throw new ChainFailure('would-fail', text)
      return text
    },
  }
}

/** Services show this text to their users. The reasons that operators write are for operators only. */
function textOf({ scope, cause, reason }: Pick<Halt, 'scope' | 'cause' | 'reason'>): string {
  return cause === OPERATOR ? `halted (${scope}) by the operator of the solver` : `halted (${scope}): ${reason}`
}
