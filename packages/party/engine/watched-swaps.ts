/** Makes watched swaps from a plain list, and adds deposits that a poll has just found. */
import type { ActiveSwap, FoundSwaps, WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'

export function createWatchedSwaps(swaps: readonly ActiveSwap[]): WatchedSwaps {
  const bySwapId = new Map(swaps.map((swap) => [swap.swapId, swap]))
  const byDeposit = new Map(swaps.flatMap((swap) => swap.deposits.map((deposit) => [deposit, swap] as const)))
  return {
    isEmpty: swaps.length === 0,
    find: async ({ swapIds, spent }) => foundIn(among(bySwapId, swapIds), among(byDeposit, spent)),
    async active(limit, from) {
      const first = Number(from ?? 0)
      const next = first + limit
      return { swaps: swaps.slice(first, next), next: next < swaps.length ? String(next) : null }
    },
    newest: async (limit) => swaps.slice(0, limit),
    funded: async (limit) => swaps.filter(({ deposits }) => deposits.length > 0).slice(0, limit),
    bySecretHash: async (hashes) => swaps.filter(({ terms }) => hashes.includes(terms.secretHash)),
    // This list does not know which party is a solver, so it takes one party of each swap.
    solverParties: async () => [...new Set(swaps.map(({ terms }) => terms.initiator))],
  }
}

function among(known: ReadonlyMap<string, WatchedSwap>, ids: Iterable<string>): ReadonlyMap<string, WatchedSwap> {
  const found = new Map<string, WatchedSwap>()
  for (const id of ids) {
    const swap = known.get(id)
    if (swap !== undefined) found.set(id, swap)
  }
  return found
}

export function foundIn(bySwapId: ReadonlyMap<SwapId, WatchedSwap>, byDeposit: ReadonlyMap<string, WatchedSwap>): FoundSwaps {
  return { bySwapId: (swapId) => bySwapId.get(swapId), byDeposit: (deposit) => byDeposit.get(deposit) }
}

export function withDeposits(watched: WatchedSwaps, more: ReadonlyMap<string, SwapId>): WatchedSwaps {
  if (more.size === 0) return watched
  const deposits = new Map<SwapId, string[]>()
  for (const [deposit, swapId] of more) {
    const others = deposits.get(swapId)
    if (others === undefined) deposits.set(swapId, [deposit])
    else others.push(deposit)
  }
  const withMore = (swaps: readonly ActiveSwap[]) =>
    swaps.map((swap) => ({ ...swap, deposits: [...new Set([...swap.deposits, ...(deposits.get(swap.swapId) ?? [])])] }))
  return {
    isEmpty: watched.isEmpty,
    async find({ swapIds, spent }) {
      const found = await watched.find({ swapIds: new Set([...swapIds, ...deposits.keys()]), spent })
      return {
        bySwapId: found.bySwapId,
        byDeposit(deposit) {
          const swapId = more.get(deposit)
          return swapId === undefined ? found.byDeposit(deposit) : found.bySwapId(swapId)
        },
      }
    },
    async active(limit, from) {
      const { swaps, next } = await watched.active(limit, from)
      return { swaps: withMore(swaps), next }
    },
    newest: async (limit) => withMore(await watched.newest(limit)),
    funded: async (limit) => withMore(await watched.funded(limit)),
    bySecretHash: watched.bySecretHash,
    solverParties: watched.solverParties,
  }
}
