/**
 * Chooses the coins of a transaction among those that no other one uses. A coin is a lane: two transactions that name the same version of
 * it would lock it until the end of the epoch. So there should be several, and not too many.
 */
import type { NodeCoin } from '../nodes/node.ts'

/** This many actions can be in flight at once. */
export const LANES = 8
/** A lane has enough gas for several redeems. */
export const LANE_MIST = 200_000_000n
/** Payouts to us are new coins. Above this number, transactions merge the smallest. */
const MERGED_ABOVE = 3 * LANES
/** A transaction may name 256 coins as its gas, and more as inputs. */
const MAX_COINS = 100

export type Chosen = {
  readonly coins: readonly [NodeCoin, ...NodeCoin[]]
  readonly total: bigint
}

/** `all` is the number of coins, including those in use. The result is null if the free ones hold less than needed. */
export function chooseCoins(free: readonly NodeCoin[], needed: bigint, all: number): Chosen | null {
  const ascending = free.toSorted((a, b) => (a.balance < b.balance ? -1 : a.balance > b.balance ? 1 : 0))
  // The smallest coin that suffices is used: the large ones stay for large amounts.
  const single = ascending.find(({ balance }) => balance >= needed)
  const chosen = single === undefined ? largestUntil(ascending.toReversed(), needed) : [single]
  const [first, ...more] = chosen
  if (first === undefined) return null
  const spare = Math.min(all - MERGED_ABOVE, MAX_COINS - chosen.length)
  const merged = spare > 0 ? ascending.filter((coin) => !chosen.includes(coin)).slice(0, spare) : []
  const coins: Chosen['coins'] = [first, ...more, ...merged]
  return { coins, total: totalOf(coins) }
}

function largestUntil(descending: readonly NodeCoin[], needed: bigint): readonly NodeCoin[] {
  const chosen: NodeCoin[] = []
  for (const coin of descending.slice(0, MAX_COINS)) {
    chosen.push(coin)
    if (totalOf(chosen) >= needed) return chosen
  }
  return []
}

/** Coins are split off for later transactions if there are too few. Half of the remaining balance stays. */
export function lanesToAdd(lanes: number, left: bigint): number {
  const affordable = left / (2n * LANE_MIST)
  const missing = Math.max(LANES - lanes, 0)
  return affordable < BigInt(missing) ? Number(affordable) : missing
}

export function totalOf(coins: readonly Pick<NodeCoin, 'balance'>[]): bigint {
  return coins.reduce((sum, { balance }) => sum + balance, 0n)
}
