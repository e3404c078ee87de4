/**
 * What the network may have taken within an hour, by chain. Every transaction counts with its highest fee; of those that exclude each other the dearest one
 * counts. Redeems and refunds have a budget of their own, so that nothing else can use it up; and beyond it each order of a granted lock has its worth, so that
 * made-up redeems cannot stop those of real orders.
 */
import { formatUsd } from '@tandem/protocol/amount.ts'
import { max } from '@tandem/protocol/bigint.ts'
import type { FeeEntry } from './entries.ts'

export type FeeUse = { readonly at: number; readonly chain: string; readonly fee: FeeEntry; readonly secretHashes: readonly string[] }

export interface FeeBudgets {
  note(use: FeeUse): void
  /** `worthOf` is of a granted lock, by its secret hash; null if there is none. */
  whyNot(use: FeeUse, perHour: bigint, worthOf: (secretHash: string) => bigint | null): string | null
  /** Returns the marks of which another amount was said before. */
  contested(claims: readonly string[]): readonly string[]
}

const HOUR = 3_600
/** A group that nobody has replaced for so long is forgotten: a later replacement counts as a new transaction. */
const FORGOTTEN_SECONDS = 172_800

/** Each of its transactions has all marks that are pinned, so only one is ever mined. `at` is of the last one. */
type Group = { pinned: ReadonlySet<string>; worth: bigint; at: number }

export function createFeeBudgets(): FeeBudgets {
  const groups = new Map<string, Group[]>()
  const collected = new Map<string, bigint>()
  const claimed = new Map<string, string>()

  const groupsOf = ({ chain, fee }: FeeUse) => groups.get(`${fee.budget} ${chain}`) ?? []
  const isInHour = (use: FeeUse, { at }: Group) => use.at - at < HOUR

  function findGroup(use: FeeUse): Group | null {
    return groupsOf(use).find(({ pinned }) => use.fee.marks.some((mark) => pinned.has(mark))) ?? null
  }

  /** What the transaction adds to those of the hour. A group counts as a whole when its last transaction was signed. */
  function addedBy(use: FeeUse): bigint {
    const group = findGroup(use)
    const worth = BigInt(use.fee.worth)
    if (group === null) return worth
    return max(worth, group.worth) - (isInHour(use, group) ? group.worth : 0n)
  }

  function noteGroup(use: FeeUse): void {
    const { chain, at, fee } = use
    const [group, worth] = [findGroup(use), BigInt(fee.worth)]
    if (group === null) {
      const kept = groupsOf(use).filter((one) => at - one.at < FORGOTTEN_SECONDS)
      groups.set(`${fee.budget} ${chain}`, [...kept, { pinned: new Set(fee.marks), worth, at }])
      return
    }
    const marks = new Set(fee.marks)
    group.pinned = new Set([...group.pinned].filter((mark) => marks.has(mark)))
    group.worth = max(worth, group.worth)
    group.at = at
  }

  const shareOf = (added: bigint, secretHashes: readonly string[]) =>
    secretHashes.length === 0 ? added : (added + BigInt(secretHashes.length) - 1n) / BigInt(secretHashes.length)

  return {
    note(use) {
      const added = addedBy(use)
      noteGroup(use)
      if (use.fee.budget === 'collect')
        for (const hash of use.secretHashes) collected.set(hash, (collected.get(hash) ?? 0n) + shareOf(added, use.secretHashes))
      for (const claim of use.fee.claims) {
        const { mark, amount } = readClaim(claim)
        claimed.set(mark, amount)
      }
    },
    whyNot(use, perHour, worthOf) {
      const added = addedBy(use)
      const before = groupsOf(use).reduce((sum, group) => (isInHour(use, group) ? sum + group.worth : sum), 0n)
      if (before + added <= perHour) return null
      const share = shareOf(added, use.secretHashes)
      const isCovered = (hash: string) => (collected.get(hash) ?? 0n) + share <= (worthOf(hash) ?? -1n)
      if (use.fee.budget === 'collect' && use.secretHashes.length > 0 && use.secretHashes.every(isCovered)) return null
      const of = use.fee.budget === 'collect' ? 'redeems and refunds' : 'all but redeems and refunds'
      return `its fee is up to ${formatUsd(added)} dollars, and limits_usd.fees_per_hour allows ${formatUsd(perHour)} on ${use.chain} for ${of}, of which ${formatUsd(before)} are used`
    },
    contested: (claims) =>
      claims.flatMap((claim) => {
        const { mark, amount } = readClaim(claim)
        const before = claimed.get(mark)
        return before === undefined || before === amount ? [] : [claim]
      }),
  }
}

export function readClaim(claim: string): { readonly mark: string; readonly amount: string } {
  const end = claim.lastIndexOf(' ')
  return { mark: claim.slice(0, end), amount: claim.slice(end + 1) }
}
