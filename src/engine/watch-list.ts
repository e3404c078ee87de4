/** The watched swaps of one chain in memory, kept equal to the database by reading only changed rows. */
import type { WatchedSwap, WatchedSwaps } from '../chains/port/watched-swaps.ts'
import type { Block, Chain } from '../protocol/chain.ts'
import type { HtlcEvent, SwapId } from '../protocol/htlc.ts'
import { readAllWatched, readChangedWatched, readHorizon, readOpenWatched, type WatchedRow } from '../store/chain/watched.ts'
import type { Database } from '../store/database/database.ts'

/** How often the whole list is read again: finished orders become too old to watch, and rows may be deleted. */
const RELOAD_MS = 3_600_000

export interface WatchList extends WatchedSwaps {
  /** Swaps of open orders. */
  readonly openSize: number
  /** A swap of an open order has a deposit. */
  readonly hasDeposits: boolean
  /** The mempool may show something new: a swap of an open order has no deposit yet, or one without a mined spend. */
  readonly expectsUnconfirmed: boolean
  /** Call it before each poll, with the cursor that the poll starts from. */
  refresh(db: Database, cursor: Block | null): Promise<void>
  /** Call it after a poll is recorded, with the new cursor. */
  recorded(cursor: Block | null, events: readonly HtlcEvent[]): void
}

type Entry = WatchedSwap & { readonly orderKey: string; readonly deposits: Set<string>; readonly spent: Set<string> }

export function createWatchList(chain: Chain, nowMs: () => number = Date.now): WatchList {
  const scope = { chain: chain.id, partialDeposits: chain.deposits.kind === 'partial' }
  const open = new Map<SwapId, Entry>()
  const finished = new Map<SwapId, WatchedSwap>()
  /** Swap ids of open swaps by order and leg: the id can change until the swap is funded. */
  const ids = new Map<string, SwapId>()
  const byDeposit = new Map<string, Entry>()
  const unsettled = new Set<SwapId>()
  let horizon: bigint | null = null
  let loadedAtMs = 0
  /** Null before the first poll. */
  let written: { readonly hash: string | null } | null = null

  function put(row: WatchedRow): void {
    const orderKey = `${row.orderId}/${row.leg}`
    remove(ids.get(orderKey) ?? row.swapId)
    ids.delete(orderKey)
    const swap = { swapId: row.swapId, terms: row.terms }
    if (row.watching === 'finished') finished.set(row.swapId, swap)
    if (row.watching !== 'open') return
    const entry = { ...swap, orderKey, deposits: new Set<string>(), spent: new Set(row.spent) }
    open.set(row.swapId, entry)
    ids.set(orderKey, row.swapId)
    for (const deposit of row.deposits) addDeposit(entry, deposit)
    noteSettled(entry)
  }

  function noteSettled({ swapId, deposits, spent }: Entry): void {
    if (deposits.size > 0 && [...deposits].every((deposit) => spent.has(deposit))) unsettled.delete(swapId)
    else unsettled.add(swapId)
  }

  function remove(swapId: SwapId): void {
    finished.delete(swapId)
    for (const deposit of open.get(swapId)?.deposits ?? []) byDeposit.delete(deposit)
    open.delete(swapId)
    unsettled.delete(swapId)
  }

  function addDeposit(entry: Entry, deposit: string): void {
    entry.deposits.add(deposit)
    byDeposit.set(deposit, entry)
  }

  function clearOpen(): void {
    open.clear()
    unsettled.clear()
    ids.clear()
    byDeposit.clear()
  }

  async function loadAll(db: Database): Promise<void> {
    const next = await readHorizon(db)
    const rows = await collect(readAllWatched(db, scope))
    clearOpen()
    finished.clear()
    for (const row of rows) put(row)
    horizon = next
    loadedAtMs = nowMs()
  }

  async function loadChanges(db: Database, since: bigint): Promise<void> {
    const changes = await readChangedWatched(db, scope, since)
    for (const row of changes.rows) put(row)
    horizon = changes.horizon
  }

  /** Reads deposits that another process recorded, or a reorg deleted. */
  async function loadOpen(db: Database): Promise<void> {
    const rows = await collect(readOpenWatched(db, scope))
    clearOpen()
    for (const row of rows) put(row)
  }

  return {
    get size() {
      return open.size + finished.size
    },
    get openSize() {
      return open.size
    },
    get hasDeposits() {
      return byDeposit.size > 0
    },
    get expectsUnconfirmed() {
      return unsettled.size > 0
    },
    bySwapId: (swapId) => open.get(swapId) ?? finished.get(swapId),
    byDeposit: (deposit) => byDeposit.get(deposit),
    *active() {
      for (const { swapId, terms, deposits } of open.values()) yield { swapId, terms, deposits: [...deposits] }
    },
    async refresh(db, cursor) {
      if (horizon === null || nowMs() - loadedAtMs >= RELOAD_MS) {
        await loadAll(db)
        return
      }
      await loadChanges(db, horizon)
      if (written === null || written.hash !== (cursor?.hash ?? null)) await loadOpen(db)
    },
    recorded(cursor, events) {
      written = { hash: cursor?.hash ?? null }
      for (const event of events) {
        const entry = open.get(event.swapId)
        if (entry === undefined) continue
        if (event.kind === 'initiated') addDeposit(entry, event.deposit)
        else entry.spent.add(event.deposit)
        noteSettled(entry)
      }
    },
  }
}

async function collect(pages: AsyncGenerator<readonly WatchedRow[]>): Promise<readonly WatchedRow[]> {
  const rows: WatchedRow[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}
