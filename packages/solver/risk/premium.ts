/** What an app's and an owner's past orders add to the price, and what of it is refused. Pure functions. */

import type { CustomerRecord, QuoteRecord } from '@tandem/party/store/solver/customers.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'

/**
 * App ids and owners are public: a stranger can leave any number of quotes and orders in their names, for nothing. So these alone cost nothing. What counts
 * is what a customer gained with its own deposits: if it leaves as much as it funds, and prices moved in its favour each time before it funded, it
 * chooses. It then pays at most what this choice earned it.
 */
export type PremiumRules = {
  /** What prices may have moved in favour of a customer that chooses, on average, in hundredths of a percent. What is above is added to its price. */
  readonly freeGainBips: number
  /** With so much in `REFUSED_PAID` orders, an owner that leaves most of its orders is refused. */
  readonly refuseGainBips: number
  /** Only for services that know their owners. An owner may abandon so many orders for nothing, and two more for each that completed. */
  readonly freeAbandoned: number
  /** For each further one. */
  readonly abandonedBips: number
  /** So many further ones are refused. Null: none. */
  readonly refuseAbandoned: number | null
  /** For secrets that a client kept for itself, of orders worth one unit; doubled with each further unit. */
  readonly withheldBips: number
  /** In millionths of a dollar. What an owner completed makes its unit larger. */
  readonly withheldUnit: bigint
  /** From so many units on, the owner may not hold the secret any more. */
  readonly refuseWithheld: number
  /** All parts together. */
  readonly mostBips: number
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
  mostBips: 500,
}

export type Premium = { readonly kind: 'bips'; readonly bips: number } | { readonly kind: 'refused'; readonly why: string }

export type Records = { readonly app: CustomerRecord; readonly quotes: QuoteRecord; readonly owner: CustomerRecord }

const FREE_PER_COMPLETED = 2
/** Fewer paid orders say nothing: a price moves by itself. */
const LEAST_PAID = { owner: 3, app: 10 } as const
/** An app answers for all its users: it pays at most so much for them. */
const APP_MOST_GAIN_BIPS = 50
/** Over so many paid orders an average gain of `refuseGainBips` is no luck. */
const REFUSED_PAID = 10
/** A refused owner left so many times what it funded. */
const REFUSED_LEFT = 4n

export function premiumOf(rules: PremiumRules, { app, quotes, owner }: Records, clientSecret: boolean): Premium {
  const abandoned = Math.max(0, owner.abandoned - rules.freeAbandoned - FREE_PER_COMPLETED * owner.completed)
  if (rules.refuseAbandoned !== null && abandoned >= rules.refuseAbandoned)
    return refused(`this owner left ${owner.abandoned} orders without a deposit`)
  const ownerGain = gainBips(owner, owner.abandonedUsd, LEAST_PAID.owner)
  if (owner.paid >= REFUSED_PAID && owner.abandonedUsd >= REFUSED_LEFT * owner.paidUsd && ownerGain >= rules.refuseGainBips)
    return refused(`this owner funds orders only if the price has moved in its favour: ${owner.paid} funded, ${owner.abandoned} left`)
  const appGain = Math.min(
    gainBips(app, app.abandonedUsd + unusedQuotes(app, quotes), LEAST_PAID.app),
    rules.freeGainBips + APP_MOST_GAIN_BIPS,
  )
  const withheld = withheldBips(rules, owner)
  if (clientSecret && withheld === null) return refused(`this owner kept the secrets of too many paid orders: ${owner.withheld}`)
  const parts = [
    // The gain of an owner is part of its app's: it counts once.
    Math.max(0, ownerGain - rules.freeGainBips, appGain - rules.freeGainBips),
    abandoned * rules.abandonedBips,
    // What other owners of the app kept says nothing of this one.
    clientSecret ? (withheld ?? 0) : 0,
  ]
  const bips = parts.reduce((sum, part) => sum + part, 0)
  return { kind: 'bips', bips: Math.min(bips, rules.mostBips) }
}

/** The average gain of a customer that leaves at least as much as it funds, rounded up: it chose the moment. 0 for the others. */
function gainBips({ paid, paidUsd, gainedUsd }: CustomerRecord, leftUsd: bigint, leastPaid: number): number {
  if (paid < leastPaid || paidUsd === 0n || gainedUsd <= 0n || leftUsd < paidUsd) return 0
  return Number(divideRoundingUp(gainedUsd * 10_000n, paidUsd))
}

/** An owner that never orders before a quote is in its favour leaves no orders: its quotes are the app's. */
function unusedQuotes({ paidUsd, abandonedUsd }: CustomerRecord, { quotedUsd }: QuoteRecord): bigint {
  const unused = quotedUsd - paidUsd - abandonedUsd
  return unused > 0n ? unused : 0n
}

/**
 * By value: many tiny ones weigh little, one large one weighs much, and what the owner completed makes up for it. Linear up to one unit, then doubled with each
 * unit. Null: refused. Rounded up, because the client chose to keep the secret.
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

/** Fewer quotes say nothing. */
const LEAST_QUOTES = 100
/** Users look at many quotes before they take one. */
const QUOTES_PER_SWAP = 20n

/**
 * The part of their amounts that an app's quotes keep from others, in percent. The quotes of an app that are hardly ever taken keep little: its users lose
 * nothing as long as there is enough for all.
 */
export function heldPercent({ paidUsd }: CustomerRecord, { quotes, quotedUsd }: QuoteRecord): bigint {
  if (quotes < LEAST_QUOTES || quotedUsd <= QUOTES_PER_SWAP * paidUsd) return 100n
  return (100n * QUOTES_PER_SWAP * paidUsd) / quotedUsd
}

function refused(why: string): Premium {
  return { kind: 'refused', why: `${why}: wait until they are older than a day` }
}
