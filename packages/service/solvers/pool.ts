/** The solvers of this service: which to ask, and how reliable each is. It is in memory; the outcomes of orders are read from the database regularly. */

import type { SettledCounts } from '@tandem/party/store/order-list/settled-orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverClient } from '../solver-client.ts'
import { createMember, type Member, NOTHING_SETTLED, reliability, type SettledOrders } from './member.ts'
import { createRefusedOffers, type OfferKey } from './refused-offers.ts'

export interface SolverPool {
  readonly members: readonly Member[]
  named(solverId: string): Member
  find(solverId: string): Member | null
  /** Trials are not waited for once another solver has answered. */
  toAsk(): { readonly waitedFor: readonly Member[]; readonly trials: readonly Member[] }
  /** The result is in millionths. */
  reliabilityOf(solverId: string): number
  recordRefusal(key: OfferKey, solverId: string): void
  /** The solver took this order for less than its quote; it says that the user is the reason. */
  recordShort(key: OfferKey, solverId: string): void
  recordUse(quote: UsedQuote): void
  isUsed(quote: UsedQuote): boolean
  recordFunded(key: OfferKey, solverId: string): void
}

/** A quote id is unique only within its solver. */
type UsedQuote = { readonly solverId: string; readonly quoteId: string }

export type SolverPoolOptions = {
  readonly solvers: readonly SolverClient[]
  readonly log: Pick<Logger, 'warn' | 'info'>
  readonly readSettled: () => Promise<readonly SettledCounts[]>
  /** The clock must be monotonic. */
  readonly nowMs?: () => number
}

const SETTLED_CACHE_MS = 30_000
/** Fewer quotes are open at a time. Beyond the limit the oldest is evicted. */
const MAX_USED = 10_000

export function createSolverPool(options: SolverPoolOptions): SolverPool {
  const { log, readSettled, nowMs = () => performance.now() } = options
  const members = options.solvers.map((client) => createMember(client, log, nowMs))
  const byId = new Map(members.map((member) => [member.id, member]))
  let settled: ReadonlyMap<string, SettledOrders> = new Map()
  let readAgainAt = 0
  const refused = createRefusedOffers(nowMs)
  const short = createRefusedOffers(nowMs)
  const used = new Set<string>()
  const nameOf = ({ solverId, quoteId }: UsedQuote) => `${solverId} ${quoteId}`

  /** The refresh runs in the background, so no quote waits for it. */
  function refresh(): void {
    if (nowMs() < readAgainAt) return
    readAgainAt = nowMs() + SETTLED_CACHE_MS
    readSettled().then(
      (counts) => {
        settled = new Map(counts.map(({ solverId, ...orders }) => [solverId, orders]))
      },
      (error: unknown) => log.warn({ err: error }, 'the outcomes of orders cannot be read: the reliability of solvers stays as it was'),
    )
  }

  return {
    members,
    find: (solverId) => byId.get(solverId) ?? null,
    named(solverId) {
      const member = byId.get(solverId)
      if (member === undefined)
        throw new TandemError('bad_request', 'solver_id is not the id of a solver here; take it from a quote or leave it out')
      return member
    },
    toAsk() {
      const standings = new Map(members.map((member) => [member, member.standing()]))
      const having = (...wanted: readonly string[]) => members.filter((member) => wanted.includes(standings.get(member) ?? ''))
      const [waitedFor, trials] = [having('in'), having('trial')]
      if (waitedFor.length > 0) return { waitedFor, trials }
      // No better solver is left, and a slow answer is better for the user than none.
      const others = having('trial', 'out')
      return { waitedFor, trials: others.length > 0 ? others : members }
    },
    recordRefusal: (key, solverId) => refused.add(key, solverId),
    recordShort: (key, solverId) => short.add(key, solverId),
    recordUse(quote) {
      used.add(nameOf(quote))
      const [oldest] = used
      if (used.size > MAX_USED && oldest !== undefined) used.delete(oldest)
    },
    isUsed: (quote) => used.has(nameOf(quote)),
    recordFunded(key, solverId) {
      byId.get(solverId)?.quotedOrderFunded(!short.take(key).includes(solverId))
      for (const other of refused.take(key)) if (other !== solverId) byId.get(other)?.quotedOrderFunded(false)
    },
    reliabilityOf(solverId) {
      // With one solver there is nothing to compare.
      if (members.length > 1) refresh()
      return reliability(settled.get(solverId) ?? NOTHING_SETTLED, byId.get(solverId)?.conduct() ?? 0)
    },
  }
}
