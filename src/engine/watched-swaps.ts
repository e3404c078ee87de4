/** Watched swaps from a plain list, and with deposits that a poll has just found. */

import type { WatchedSwap, WatchedSwaps } from '../chains/port/watched-swaps.ts'
import type { SwapId } from '../protocol/htlc.ts'

/** All of them are active. */
export function createWatchedSwaps(swaps: readonly (WatchedSwap & { readonly deposits: readonly string[] })[]): WatchedSwaps {
  const bySwapId = new Map(swaps.map((swap) => [swap.swapId, swap]))
  const byDeposit = new Map(swaps.flatMap((swap) => swap.deposits.map((deposit) => [deposit, swap] as const)))
  return {
    size: bySwapId.size,
    bySwapId: (swapId) => bySwapId.get(swapId),
    byDeposit: (deposit) => byDeposit.get(deposit),
    active: () => bySwapId.values(),
  }
}

/** The same swaps with more deposits, by their ids. */
export function withDeposits(watched: WatchedSwaps, found: ReadonlyMap<string, SwapId>): WatchedSwaps {
  if (found.size === 0) return watched
  const deposits = new Map<SwapId, string[]>()
  for (const [deposit, swapId] of found) {
    const others = deposits.get(swapId)
    if (others === undefined) deposits.set(swapId, [deposit])
    else others.push(deposit)
  }
  return {
    size: watched.size,
    bySwapId: watched.bySwapId,
    byDeposit(deposit) {
      const swapId = found.get(deposit)
      return swapId === undefined ? watched.byDeposit(deposit) : watched.bySwapId(swapId)
    },
    *active() {
      for (const swap of watched.active()) {
        const more = deposits.get(swap.swapId)
        yield more === undefined ? swap : { ...swap, deposits: [...new Set([...swap.deposits, ...more])] }
      }
    },
  }
}
