/**
 * The watched swaps of one chain. They stay in the database, which is asked about the ids that a poll has seen. A full block or a mempool has
 * thousands of ids, of which hardly any are ours: for these, a filter of a few bytes per swap leaves out the others first.
 */
import type { WatchedSwaps } from '../chains/port/watched-swaps.ts'
import type { Block, Chain } from '../protocol/chain.ts'
import type { HtlcEvent } from '../protocol/htlc.ts'
import {
  countDepositsOf,
  countSwapsOf,
  findWatched,
  listActive,
  listNewest,
  readDepositEnds,
  readExpected,
  readWatchedEnds,
} from '../store/chain/watched.ts'
import type { Database } from '../store/database/database.ts'
import { createLoadedFilter } from './loaded-filter.ts'
import { foundIn } from './watched-swaps.ts'

export interface WatchList extends WatchedSwaps {
  /** An order with a swap on this chain is open. */
  readonly hasOpen: boolean
  /** A swap of an open order has a deposit. */
  readonly hasDeposits: boolean
  /** The mempool may show something new: a swap of an open order has no deposit yet, or one without a mined spend. */
  readonly expectsUnconfirmed: boolean
  /** Reads what to expect. Call it after the newest block is read, before the list is trusted to be empty. */
  refresh(): Promise<void>
  /** Call it before each poll, with the cursor that the poll starts from. */
  startFrom(cursor: Block | null): void
  /** Call it after a poll is recorded, with the new cursor. */
  recorded(cursor: Block | null, events: readonly HtlcEvent[]): void
}

/** `fewIds`: up to this many the database is asked about all. */
export function createWatchList(db: Database, chain: Chain, fewIds?: number): WatchList {
  const scope = { chain: chain.id, partialDeposits: chain.deposits.kind === 'partial' }
  const swaps = createLoadedFilter({ count: () => countSwapsOf(db, chain.id), ends: () => readWatchedEnds(db, scope) }, fewIds)
  const deposits = createLoadedFilter({ count: () => countDepositsOf(db, chain.id), ends: () => readDepositEnds(db, chain.id) }, fewIds)
  const isFiltered = () => swaps.isInUse || deposits.isInUse
  let horizon: bigint | null = null
  let expected = { hasOpen: false, hasAny: true, hasDeposits: false, expectsUnconfirmed: false }
  /** The cursor of the last poll that this process recorded; undefined before the first. */
  let written: string | null | undefined

  async function refresh(): Promise<void> {
    const { changed, changedDeposits, ...rest } = await readExpected(db, chain.id, isFiltered() ? horizon : null)
    expected = rest
    horizon = rest.horizon
    for (const end of changed) swaps.add(end)
    for (const end of changedDeposits) deposits.add(end)
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
      // Orders that were just written or opened again must be in the filters.
      if (horizon === null || isFiltered()) await refresh()
      const asked = { swapIds: swaps.pass([...swapIds]), deposits: deposits.pass([...spent]) }
      const { bySwapId, byDeposit } = await findWatched(db, scope, asked)
      return foundIn(bySwapId, byDeposit)
    },
    active: (limit, from) => listActive(db, chain.id, limit, from),
    newest: (limit) => listNewest(db, chain.id, limit),
    refresh,
    startFrom(cursor) {
      // Another process recorded deposits.
      if (written !== (cursor?.hash ?? null)) deposits.forget()
    },
    recorded(cursor, events) {
      written = cursor?.hash ?? null
      const found = events.filter(({ kind }) => kind === 'initiated')
      for (const { deposit } of found) deposits.add(deposit)
      if (found.length > 0) expected = { ...expected, hasDeposits: true }
    },
  }
}
