/** What an app's and an owner's past orders add to the price. Pure functions. */
import type { CustomerRecord } from '../../store/solver/order-risks.ts'

/** App ids are public, and an order without a deposit proves nothing about its owner: by default a stranger's orders in its name cost it nothing. */
export type PremiumRules = {
  /** An owner may abandon so many orders for nothing, and two more for each that completed. */
  readonly freeAbandoned: number
  /** For each further one. */
  readonly abandonedBips: number
  /** So many further ones are refused. Null: none. */
  readonly refuseAbandoned: number | null
  /** For the first secret that a client kept for itself; doubled with each further one. */
  readonly withheldBips: number
  /** After so many, the owner may not hold the secret any more. */
  readonly refuseWithheld: number
  /** All parts together. */
  readonly mostBips: number
}

export const defaultPremiumRules: PremiumRules = {
  freeAbandoned: 10,
  abandonedBips: 0,
  refuseAbandoned: null,
  withheldBips: 50,
  refuseWithheld: 3,
  mostBips: 500,
}

export type Premium = { readonly kind: 'bips'; readonly bips: number } | { readonly kind: 'refused'; readonly why: string }

const FREE_PER_COMPLETED = 2
/** An app has many users: only its share of abandoned orders counts, above this percentage and number, one hundredth of a percent for each percent. */
const APP_SHARE_PERCENT = 80
const APP_LEAST_ABANDONED = 50
/** Secrets withheld in an app count as far as they are more than its completed orders. */
const APP_WITHHELD_BIPS = 10
const APP_REFUSE_WITHHELD = 20

export function premiumOf(
  rules: PremiumRules,
  { app, owner }: { readonly app: CustomerRecord; readonly owner: CustomerRecord },
  clientSecret: boolean,
): Premium {
  const abandoned = Math.max(0, owner.abandoned - rules.freeAbandoned - FREE_PER_COMPLETED * owner.completed)
  if (rules.refuseAbandoned !== null && abandoned >= rules.refuseAbandoned)
    return refused(`this owner left ${owner.abandoned} orders without a deposit`)
  const appWithheld = Math.max(0, app.withheld - app.completed)
  if (clientSecret && owner.withheld >= rules.refuseWithheld) return refused(`this owner kept the secret of ${owner.withheld} paid orders`)
  if (clientSecret && appWithheld >= APP_REFUSE_WITHHELD)
    return refused(`owners of this app kept the secret of ${app.withheld} paid orders`)
  const parts = [
    abandoned * rules.abandonedBips,
    appShareBips(app),
    clientSecret && owner.withheld > 0 ? rules.withheldBips * 2 ** (owner.withheld - 1) : 0,
    clientSecret ? appWithheld * APP_WITHHELD_BIPS : 0,
  ]
  const bips = parts.reduce((sum, part) => sum + part, 0)
  return { kind: 'bips', bips: Math.min(bips, rules.mostBips) }
}

function appShareBips({ abandoned, completed, withheld }: CustomerRecord): number {
  if (abandoned < APP_LEAST_ABANDONED) return 0
  return Math.max(0, Math.floor((abandoned * 100) / (abandoned + completed + withheld)) - APP_SHARE_PERCENT)
}

function refused(why: string): Premium {
  return { kind: 'refused', why: `${why}: wait until they are older than a day` }
}
