/** Keeps halts by the operator, a breaker, or prices. They stop new quotes and payments; redeems and refunds go on. */

import { repeat } from '@tandem/party/engine/loop.ts'
import type { Reorg } from '@tandem/party/engine/watcher.ts'
import { type CountedDeposit, withoutBlock } from '@tandem/party/store/chain/counted-deposits.ts'
import { readTips } from '@tandem/party/store/chain/events.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { type Halt, putHalt, readHalts, removeHalts } from '@tandem/party/store/solver/halts.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from 'pino'
import { FEE_FUNDS, type FeeWatch, isDeepReorg, stuckHeads, type Trip } from './breakers.ts'
import { type Pair, pairOf, scopesOf } from './scope.ts'

export const OPERATOR = 'operator'
const DEEP_REORG = 'deep reorg'
const LOST_DEPOSITS = 'lost deposits'
/** A halt after a reorg lasts three times the finality of the chain, within these bounds. An operator may resume earlier. */
const FINALITY_TIMES = 3n
const MIN_REORG_HALT_SECONDS = 60
const MAX_REORG_HALT_SECONDS = 3600
const PRICES = 'prices'
/** A halt of the operator applies to quotes after this time. Payments read it from the database. */
const REFRESH_MS = 2000

export interface Halts {
  /** The answer comes from memory and is at most 2 s old; null if the pair is open. */
  find(from: AssetId, to: AssetId): Halt | null
  /** Reads the database now, for an order that is about to be paid. */
  readFor(order: Order): Promise<Halt | null>
  /**
   * A deep reorg halts its chain for a while. A reorg of usual depth that removed counted deposits halts the chain until all of them are in
   * a block again: most are mined again in the next block, and nothing is lost.
   */
  noteReorg(chain: ChainId, reorg: Reorg): Promise<void>
  refresh(): Promise<void>
  stop(): Promise<void>
}

export type HaltOptions = {
  readonly db: Database
  readonly registry: Registry
  readonly log: Logger
  readonly now: () => bigint
  readonly priceHalt: (from: AssetId, to: AssetId) => string | null
  readonly fees?: FeeWatch
  readonly funds?: { trips(): readonly Trip[] }
  /** Reads the fees of a chain again, because while it is halted no quote does. */
  readonly readFees?: (chain: ChainId) => void
  readonly refreshMs?: number
}

const keyOf = ({ scope, cause }: Pick<Halt, 'scope' | 'cause'>) => `${scope} ${cause}`
/** These causes are conditions that an operator cannot end. The text names what ends each. */
const CONDITIONS: Readonly<Record<Trip['cause'] | typeof PRICES, string>> = {
  'stuck head': 'a new block of the chain is read',
  'fee spike': 'a lock costs less than half of that',
  [FEE_FUNDS]: 'the account holds enough of the coin again',
  [PRICES]: 'enough sources give a price again, and agree',
}

/** Returns what ends the halt by itself; null if it ends when it is removed, or at its `until`. */
export function endOf({ cause }: Pick<Halt, 'cause'>): string | null {
  return Object.entries(CONDITIONS).find(([name]) => name === cause)?.[1] ?? null
}

/** The row is for `tandem solver status`. The halt ends with its condition, so the row of a dead process must not halt anything. */
const isMirrored = (halt: Pick<Halt, 'cause'>) => endOf(halt) !== null

function reorgSeconds({ finalityBlocks, blockMs }: Chain): number {
  const seconds = Number((FINALITY_TIMES * BigInt(finalityBlocks) * blockMs) / 1000n)
  return Math.min(Math.max(seconds, MIN_REORG_HALT_SECONDS), MAX_REORG_HALT_SECONDS)
}

export function startHalts(options: HaltOptions): Halts {
  const { db, registry, log, now, priceHalt, fees, funds } = options
  const served = registry.chains.filter(({ id }) => registry.isServed(id))
  let recorded: readonly Halt[] = []
  let conditions: readonly Halt[] = []
  let shown: ReadonlyMap<string, Halt> = new Map()
  const pricesHaltedAt = new Map<Pair, bigint>()
  /** A reorg removed these deposits, and no block contains them since. A restart forgets them, and the halt then ends by its time. */
  const lost = new Map<ChainId, readonly CountedDeposit[]>()

  async function endFound(): Promise<void> {
    for (const [chain, deposits] of lost) {
      const missing = await withoutBlock(db, chain, deposits)
      if (missing.length > 0) continue
      lost.delete(chain)
      await removeHalts(db, chain, LOST_DEPOSITS)
    }
  }

  async function refresh(): Promise<void> {
    await endFound()
    const rows = await readHalts(db)
    const times = new Map([...(await readTips(db))].map(([chain, { time }]) => [chain, time]))
    recorded = rows.filter((row) => !isMirrored(row))
    const before = new Map(conditions.map((halt) => [keyOf(halt), halt]))
    conditions = [...stuckHeads(served, times, now()), ...(fees?.trips() ?? []), ...(funds?.trips() ?? [])].map((trip) => ({
      ...trip,
      since: before.get(keyOf(trip))?.since ?? now(),
      until: null,
    }))
    for (const { scope, cause } of conditions) if (cause === ('fee spike' satisfies Trip['cause'])) options.readFees?.(scope)
    await mirror([...conditions, ...readPriceHalts()], rows.filter(isMirrored))
    report()
  }

  /** The result covers the pairs that were requested. A halt that ended meanwhile is forgotten. */
  function readPriceHalts(): readonly Halt[] {
    return [...pricesHaltedAt].flatMap(([scope, since]) => {
      const [from, to] = scope.split('->') as [AssetId, AssetId]
      const reason = priceHalt(from, to)
      if (reason === null) pricesHaltedAt.delete(scope)
      return reason === null ? [] : [{ scope, cause: PRICES, reason, since, until: null }]
    })
  }

  async function mirror(holding: readonly Halt[], rows: readonly Halt[]): Promise<void> {
    const written = new Set(rows.map(keyOf))
    const current = new Set(holding.map(keyOf))
    for (const halt of holding) if (!written.has(keyOf(halt))) await putHalt(db, halt)
    for (const row of rows) if (!current.has(keyOf(row))) await removeHalts(db, row.scope, row.cause)
  }

  function report(): void {
    const current = new Map([...recorded, ...conditions].map((halt) => [keyOf(halt), halt]))
    for (const [key, { scope, cause, reason }] of current)
      if (!shown.has(key)) log.warn({ scope, cause, reason }, 'halted: no new quotes and payments; redeems and refunds go on')
    for (const [key, { scope, cause }] of shown) if (!current.has(key)) log.info({ scope, cause }, 'resumed')
    shown = current
  }

  function among(halts: readonly Halt[], from: AssetId, to: AssetId): Halt | null {
    const scopes = scopesOf(registry, from, to)
    const halt = halts.find(({ scope }) => scopes.has(scope))
    if (halt !== undefined) return halt
    const [scope, reason] = [pairOf(from, to), priceHalt(from, to)]
    if (reason === null) {
      pricesHaltedAt.delete(scope)
      return null
    }
    const since = pricesHaltedAt.get(scope) ?? now()
    pricesHaltedAt.set(scope, since)
    return { scope, cause: PRICES, reason, since, until: null }
  }

  const loop = repeat(options.refreshMs ?? REFRESH_MS, refresh, (error) =>
    log.error({ err: error }, 'halts cannot be read: the last ones are used'),
  )

  return {
    find: (from, to) => among([...recorded, ...conditions], from, to),
    async readFor({ id, source, destination }) {
      const { halts } = await readPayFacts(db, id)
      return among(
        [...halts.filter((row) => !isMirrored(row)), ...conditions.filter(({ cause }) => cause !== FEE_FUNDS)],
        source.terms.asset,
        destination.terms.asset,
      )
    },
    async noteReorg(chain, { blocks, counted }) {
      const known = registry.chain(chain)
      const seconds = reorgSeconds(known)
      const isDeep = isDeepReorg(known, blocks)
      if (isDeep) {
        const reason = `a reorg removed ${blocks} blocks; deposits wait for ${known.requiredConfirmations}`
        await putHalt(db, { scope: chain, cause: DEEP_REORG, reason, seconds })
      } else if (counted.length > 0) {
        lost.set(chain, [...(lost.get(chain) ?? []), ...counted])
        const reason = `a reorg removed ${blocks} blocks, with ${counted.length} deposits that had their confirmations`
        await putHalt(db, { scope: chain, cause: LOST_DEPOSITS, reason, seconds })
      } else return
      await refresh()
    },
    refresh,
    stop: () => loop.stop(),
  }
}
