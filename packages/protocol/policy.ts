/** Decides which pairs of assets an operator allows, for quotes, orders, lists and GET /policy. */

import type { AssetId } from './asset.ts'

/** The operator writes the policy like this, and GET /policy shows it. A rule is `A -> B` (one way) or `A <-> B` (both ways). */
export type Policy = {
  readonly default: 'open' | 'closed'
  readonly isolation_groups: readonly string[]
  readonly blacklist_pairs: readonly string[]
  readonly whitelist_overrides: readonly string[]
}

export interface PolicyRules {
  /** The policy is in normalised spelling. */
  readonly policy: Policy
  /** Returns the reason for the integrator why `from` may not be swapped for `to`, or null. */
  refusal(from: AssetId, to: AssetId): string | null
  unmatched(assets: readonly AssetId[]): readonly string[]
}

export const openPolicy: Policy = { default: 'open', isolation_groups: [], blacklist_pairs: [], whitelist_overrides: [] }

type Pattern = { readonly text: string; matches(asset: AssetId): boolean }
type Rule = { readonly text: string; readonly from: Pattern; readonly to: Pattern; readonly bothWays: boolean }

/** The error names the list, the rule and the expected form. */
export function parsePolicy(policy: Policy): PolicyRules {
  const isolation = parseRules(policy, 'isolation_groups')
  const blacklist = parseRules(policy, 'blacklist_pairs')
  const whitelist = parseRules(policy, 'whitelist_overrides')
  const textsOf = (rules: readonly Rule[]) => rules.map((rule) => rule.text)

  return {
    policy: {
      default: policy.default,
      isolation_groups: textsOf(isolation),
      blacklist_pairs: textsOf(blacklist),
      whitelist_overrides: textsOf(whitelist),
    },
    refusal(from, to) {
      const because = (reason: string) => `${from} cannot be swapped for ${to} here: ${reason}`
      if (whitelist.some((rule) => names(rule, from, to))) return null
      const group = isolation.find((rule) => confines(rule, from, to))
      if (group !== undefined && !isolation.some((rule) => connects(rule, from, to)))
        return because(`the operator's policy isolates "${group.text}"`)
      const refused = blacklist.find((rule) => names(rule, from, to))
      if (refused !== undefined) return because(`the operator's policy excludes "${refused.text}"`)
      return policy.default === 'open' ? null : because("the operator's policy allows only the pairs it lists")
    },
    unmatched(assets) {
      const patterns = [...isolation, ...blacklist, ...whitelist].flatMap((rule) => [rule.from, rule.to])
      return patterns.filter((pattern) => !assets.some(pattern.matches)).map((pattern) => pattern.text)
    },
  }
}

/** Returns true if the rule names this pair in this direction. */
function names({ from: left, to: right, bothWays }: Rule, from: AssetId, to: AssetId): boolean {
  return (left.matches(from) && right.matches(to)) || (bothWays && right.matches(from) && left.matches(to))
}

/**
 * True if the group restricts this pair. `A <-> B` is one closed group of all assets that match A or B. `A -> B` restricts only swaps from A and swaps to B.
 * Clients read groups the same way.
 */
function confines(rule: Rule, from: AssetId, to: AssetId): boolean {
  return rule.bothWays ? isMember(rule, from) || isMember(rule, to) : rule.from.matches(from) || rule.to.matches(to)
}

function connects(rule: Rule, from: AssetId, to: AssetId): boolean {
  return rule.bothWays ? isMember(rule, from) && isMember(rule, to) : names(rule, from, to)
}

function isMember(rule: Rule, asset: AssetId): boolean {
  return rule.from.matches(asset) || rule.to.matches(asset)
}

function parseRules(policy: Policy, list: Exclude<keyof Policy, 'default'>): readonly Rule[] {
  return policy[list].map((text) => {
    const refuse = (why: string) => new Error(`${list} has "${text}": ${why}`)
    const arrows = text.match(/<->|->/g) ?? []
    if (arrows.length !== 1) throw refuse('a rule is "A -> B" (one way) or "A <-> B" (both ways)')
    const bothWays = arrows[0] === '<->'
    const [left = '', right = ''] = text.split(bothWays ? '<->' : '->').map((side) => side.trim().toLowerCase())
    const [from, to] = [parsePattern(left, refuse), parsePattern(right, refuse)]
    return { text: `${from.text} ${bothWays ? '<->' : '->'} ${to.text}`, from, to, bothWays }
  })
}

function parsePattern(text: string, refuse: (why: string) => Error): Pattern {
  // Clients know only this name for "everything".
  if (text === '*' || text === '*:*') return { text: '*', matches: () => true }
  if (!/^[a-z0-9_*]+:[a-z0-9_.*]+$/.test(text))
    throw refuse(`"${text}" is neither "*" nor of the form <chain>:<asset>, where "*" stands for any text`)
  const expression = new RegExp(`^${text.replaceAll('.', '\\.').replaceAll(/\*+/g, '[^:]*')}$`)
  return { text, matches: (asset) => expression.test(asset) }
}
