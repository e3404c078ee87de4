/** Which accounts to read for the events of some swaps: as few as cover all of them. */
import { partyOf } from '../terms/address.ts'

type Parties = { readonly initiator: string; readonly redeemer: string }

/**
 * Every swap is in the history of both its accounts. One of them is usually a solver's, which has many swaps; strangers choose the other. So the accounts
 * with the most swaps come first, of equal ones those without a tag (exchanges have tags, and much traffic), and one is read only if it has a swap that none
 * before it has.
 */
export function coveringAccounts(swaps: readonly Parties[]): readonly string[] {
  const byAccount = new Map<string, Parties[]>()
  for (const swap of swaps) {
    for (const account of new Set([partyOf(swap.initiator).account, partyOf(swap.redeemer).account])) {
      const known = byAccount.get(account)
      if (known === undefined) byAccount.set(account, [swap])
      else known.push(swap)
    }
  }
  const tagged = new Set(swaps.map(({ redeemer }) => partyOf(redeemer)).flatMap(({ account, tag }) => (tag === null ? [] : [account])))
  const rank = (a: string, b: string) => Number(tagged.has(a)) - Number(tagged.has(b)) || (a < b ? -1 : 1)
  const covered = new Set<Parties>()
  const chosen: string[] = []
  for (const [account, own] of [...byAccount].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || rank(a, b))) {
    if (own.every((swap) => covered.has(swap))) continue
    for (const swap of own) covered.add(swap)
    chosen.push(account)
  }
  return chosen
}
