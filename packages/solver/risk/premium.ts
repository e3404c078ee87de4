/** Computes what the past orders of an app and an owner add to the price, and whom the solver refuses. The functions are pure. */

import type { CustomerRecord, QuoteRecord } from '@tandem/party/store/solver/customers.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'

/**
 * App ids and owners are public: a stranger can leave any number of quotes and orders in their names at no cost. So abandoned orders alone
 * cost nothing. What counts is the gain of a customer with its own deposits: if it abandons as much as it funds, and prices moved in its
 * favour before it funded, it picks its moments. It then pays at most what this earned it.
 */
export type PremiumRules = {
  /** The average gain of a customer that picks its moments is free up to this. The excess is added to its price. */
  readonly freeGainBips: number
  /** With this average gain over `REFUSED_PAID` orders, an owner that abandons most of its orders is refused. */
  readonly refuseGainBips: number
  /** Where services know their owners, an owner may abandon this many orders for free, and two more for each that completed. */
  readonly freeAbandoned: number
  readonly abandonedBips: number
  /** With this many further abandoned orders the owner is refused; null if it never is. */
  readonly refuseAbandoned: number | null
  /** The premium for withheld secrets of orders worth one unit; doubled with each further unit. */
  readonly withheldBips: number
  /** The unit in millionths of a dollar. What an owner completed is added to its unit. */
  readonly withheldUnit: bigint
  /** From this many units on, the owner may not keep secrets itself. */
  readonly refuseWithheld: number
  readonly maxBips: number
}

export const defaultPremiumRules: PremiumRules = {
  freeGainBips: 10,
  refuseGainBips: 50,
  freeAbandoned: 10,
  abandonedBips: 0,
  refuseAbandoned: null,
  withheldBips: 50,
  withheldUnit: 1_000_000_000n,
  refuseWithheld: 3,
  maxBips: 500,
}

export type Premium = { readonly kind: 'bips'; readonly bips: number } | { readonly kind: 'refused'; readonly why: string }

export type Records = { readonly app: CustomerRecord; readonly quotes: QuoteRecord; readonly owner: CustomerRecord }

const FREE_PER_COMPLETED = 2
/** Fewer paid orders say nothing, because prices move anyway. */
const MIN_PAID = { owner: 3, app: 10 } as const
/** An app answers for all its users, so its premium is limited. */
const MAX_APP_GAIN_BIPS = 50
/** Over this many paid orders an average gain of `refuseGainBips` is no coincidence. */
const REFUSED_PAID = 10
/** A refused owner abandoned this many times what it funded. */
const REFUSED_LEFT = 4n

export function premiumOf(rules: PremiumRules, { app, quotes, owner }: Records, clientSecret: boolean): Premium {
  const abandoned = Math.max(0, owner.abandoned - rules.freeAbandoned - FREE_PER_COMPLETED * owner.completed)
  if (rules.refuseAbandoned !== null && abandoned >= rules.refuseAbandoned)
    return refused(`this owner left ${owner.abandoned} orders without a deposit`)
  const ownerGain = gainBips(owner, owner.abandonedUsd, MIN_PAID.owner)
  if (owner.paid >= REFUSED_PAID && owner.abandonedUsd >= REFUSED_LEFT * owner.paidUsd && ownerGain >= rules.refuseGainBips)
    return refused(`this owner funds orders only if the price has moved in its favour: ${owner.paid} funded, ${owner.abandoned} left`)
  const appGain = Math.min(
    gainBips(app, app.abandonedUsd + unusedQuotes(app, quotes), MIN_PAID.app),
    rules.freeGainBips + MAX_APP_GAIN_BIPS,
  )
  const withheld = withheldBips(rules, owner)
  if (clientSecret && withheld === null) return refused(`this owner kept the secrets of too many paid orders: ${owner.withheld}`)
  const parts = [
    // The gain of an owner is included in that of its app, so it counts once.
    Math.max(0, ownerGain - rules.freeGainBips, appGain - rules.freeGainBips),
    abandoned * rules.abandonedBips,
    // Secrets that other owners of the app withheld do not count.
    clientSecret ? (withheld ?? 0) : 0,
  ]
  const bips = parts.reduce((sum, part) => sum + part, 0)
  return { kind: 'bips', bips: Math.min(bips, rules.maxBips) }
}

/** The average gain of a customer that abandons at least as much as it funds, rounded up; 0 for all others. */
function gainBips({ paid, paidUsd, gainedUsd }: CustomerRecord, leftUsd: bigint, minPaid: number): number {
  if (paid < minPaid || paidUsd === 0n || gainedUsd <= 0n || leftUsd < paidUsd) return 0
  return Number(divideRoundingUp(gainedUsd * 10_000n, paidUsd))
}

/** An owner that orders only after the price has moved abandons quotes, not orders. Quotes are counted for its app. */
function unusedQuotes({ paidUsd, abandonedUsd }: CustomerRecord, { quotedUsd }: QuoteRecord): bigint {
  const unused = quotedUsd - paidUsd - abandonedUsd
  return unused > 0n ? unused : 0n
}

/**
 * The premium depends on the value: many tiny orders weigh little, one large one weighs much, and completed orders make up for it. It is
 * linear up to one unit, then doubles with each unit. Returns null if the owner is refused. The result is rounded up, because the client
 * chose to keep the secret.
 */
function withheldBips({ withheldBips: bips, withheldUnit, refuseWithheld }: PremiumRules, record: CustomerRecord): number | null {
  const unit = withheldUnit + record.completedUsd
  const whole = record.withheldLately / unit
  if (whole >= BigInt(refuseWithheld)) return null
  const shareOf = (steps: number) => Number(divideRoundingUp((record.withheldLately % unit) * BigInt(steps), unit))
  if (whole === 0n) return shareOf(bips)
  const reached = bips * 2 ** Number(whole - 1n)
  return reached + shareOf(reached)
}

/** Fewer quotes do not show a pattern. */
const MIN_QUOTES = 100
/** Users compare many quotes before they take one. */
const QUOTES_PER_SWAP = 20n

/**
 * Returns the part of its amount that a quote of this app holds, in percent. Quotes that are hardly ever taken hold little. The app's users
 * lose nothing while there is enough for all.
 */
export function heldPercent({ paidUsd }: CustomerRecord, { quotes, quotedUsd }: QuoteRecord): bigint {
  if (quotes < MIN_QUOTES || quotedUsd <= QUOTES_PER_SWAP * paidUsd) return 100n
  return (100n * QUOTES_PER_SWAP * paidUsd) / quotedUsd
}

function refused(why: string): Premium {
  return { kind: 'refused', why: `${why}: wait until they are older than a day` }
}
