/**
 * Finds the watched swaps of one chain. They stay in the database, which is queried for the ids that a poll has seen. A full block or a
 * mempool has thousands of ids, of which hardly any are ours, so a filter of bounded size removes most of them first.
 */
import type { WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import {
  countDepositsOf,
  countWatched,
  findBySecretHash,
  findWatched,
  listActive,
  listFunded,
  listNewest,
  readDepositEnds,
  readExpected,
  readSolverParties,
  readWatchedEnds,
} from '../store/chain/watched.ts'
import type { Database } from '../store/database/database.ts'
import { createLoadedFilter } from './loaded-filter.ts'
import { foundIn } from './watched-swaps.ts'

export interface WatchList extends WatchedSwaps {
  readonly hasOpen: boolean
  readonly hasDeposits: boolean
  /** The mempool may show something new: a swap of an open order has no deposit yet, or a deposit without a mined spend. */
  readonly expectsUnconfirmed: boolean
  /** Reads what to expect. Call it after the newest block is read, before the list is trusted to be empty. */
  refresh(): Promise<void>
  /** Call this before each poll, with the cursor that the poll starts from. */
  startFrom(cursor: Block | null): void
  recorded(cursor: Block | null, events: readonly HtlcEvent[]): void
}

/** These are mostly swaps with a deposit and without a spend, whose spend is seen next. */
const MAX_REMEMBERED = 10_000

/** Up to `fewIds` ids are looked up without a filter. */
export function createWatchList(db: Database, chain: Chain, fewIds?: number): WatchList {
  const scope = { chain: chain.id, partialDeposits: chain.deposits.kind === 'partial' }
  const swaps = createLoadedFilter({ count: () => countWatched(db, scope), ends: () => readWatchedEnds(db, scope) }, fewIds)
  const deposits = createLoadedFilter({ count: () => countDepositsOf(db, chain.id), ends: () => readDepositEnds(db, chain.id) }, fewIds)
  const isFiltered = () => swaps.isInUse || deposits.isInUse
  let horizon: bigint | null = null
  let expected = { hasOpen: false, hasAny: true, hasDeposits: false, expectsUnconfirmed: false }
  /**
   * The swaps that were found earlier. An id is a hash of the terms, so terms never change, and an event of an order that was closed
   * meanwhile is recorded as if it were open. On chains where anyone can send deposits at any time nothing is remembered: only the database
   * knows for how long deposits count.
   */
  const remembered = new Map<SwapId, WatchedSwap>()
  /** Parties are never evicted: a needless reading of an account costs one request. */
  const solverParties = new Set<string>()
  let partiesSince: bigint | null = null
  /** The cursor of the last poll that this process recorded; undefined before the first. */
  let written: string | null | undefined

  async function refresh(): Promise<void> {
    const { changed, changedDeposits, ...expectedNow } = await readExpected(db, chain.id, isFiltered() ? horizon : null)
    expected = expectedNow
    horizon = expectedNow.horizon
    for (const end of changed) swaps.add(end)
    for (const end of changedDeposits) deposits.add(end)
  }

  function entryOf(id: SwapId): [[SwapId, WatchedSwap]] | null {
    const swap = remembered.get(id)
    return swap === undefined ? null : [[id, swap]]
  }

  function remember(id: SwapId, swap: WatchedSwap): void {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(id, swap)
  }

  return {
    get isEmpty() {
      return !(expected.hasOpen || (scope.partialDeposits && expected.hasAny))
    },
    get hasOpen() {
      return expected.hasOpen
    },
    get hasDeposits() {
      return expected.hasDeposits
    },
    get expectsUnconfirmed() {
      return expected.expectsUnconfirmed
    },
    async find({ swapIds, spent }) {
      const [ids, spentIds] = [[...swapIds], [...spent]]
      const known = new Map(ids.flatMap((id) => entryOf(id) ?? []))
      if (known.size === new Set(ids).size && spentIds.length === 0) return foundIn(known, new Map())
      // Orders that were just written or reopened must be in the filters.
      if (horizon === null || isFiltered()) await refresh()
      const asked = { swapIds: swaps.pass(ids.filter((id) => !known.has(id))), deposits: deposits.pass(spentIds) }
      const { bySwapId, byDeposit } = await findWatched(db, scope, asked)
      for (const [id, swap] of scope.partialDeposits ? [] : bySwapId) remember(id, swap)
      return foundIn(new Map([...known, ...bySwapId]), byDeposit)
    },
    active: (limit, from) => listActive(db, chain.id, limit, from),
    newest: (limit) => listNewest(db, chain.id, limit),
    funded: (limit) => listFunded(db, chain.id, limit),
    bySecretHash: (hashes) => findBySecretHash(db, chain.id, hashes),
    async solverParties() {
      const { parties, horizon: next } = await readSolverParties(db, chain.id, partiesSince)
      for (const party of parties) solverParties.add(party)
      partiesSince = next
      return [...solverParties]
    },
    refresh,
    startFrom(cursor) {
      // Another process recorded deposits.
      if (written !== (cursor?.hash ?? null)) deposits.forget()
    },
    recorded(cursor, events) {
      written = cursor?.hash ?? null
      const found = events.filter(({ kind }) => kind === 'initiated')
      for (const { deposit } of found) deposits.add(deposit)
      for (const { kind, swapId } of events) if (kind !== 'initiated') remembered.delete(swapId)
      if (found.length > 0) expected = { ...expected, hasDeposits: true }
    },
  }
}
