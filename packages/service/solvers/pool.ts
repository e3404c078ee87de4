/** The solvers of this service: whom to ask, and how reliable each is. Kept in memory; how orders ended is read from the database now and then. */

import type { SettledCounts } from '@tandem/party/store/order-list/settled-orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverClient } from '../solver-client.ts'
import { createMember, type Member } from './member.ts'
import { createRefusedOffers, type OfferKey } from './refused-offers.ts'
import { NOTHING_SETTLED, reliability, type SettledOrders } from './reliability.ts'

export interface SolverPool {
  readonly members: readonly Member[]
  /** Throws `bad_request` if there is none. */
  named(solverId: string): Member
  find(solverId: string): Member | null
  /** Who is asked now. Trials are not waited for once another has answered. */
  toAsk(): { readonly waitedFor: readonly Member[]; readonly trials: readonly Member[] }
  /** In millionths. */
  reliabilityOf(solverId: string): number
  /** A solver refused this order, without breaking its quote for it. */
  noteRefusal(key: OfferKey, solverId: string): void
  /** A solver took this order for less than its quote, because of the user as it says. */
  noteShort(key: OfferKey, solverId: string): void
  /** An order was made with this quote. */
  noteUse(quote: UsedQuote): void
  /** Whether an order of this process was made with it. */
  isUsed(quote: UsedQuote): boolean
  /** The user has funded it, with this solver. */
  noteFunded(key: OfferKey, solverId: string): void
}

/** Quotes have ids of their solvers. */
type UsedQuote = { readonly solverId: string; readonly quoteId: string }

export type SolverPoolOptions = {
  readonly solvers: readonly SolverClient[]
  readonly log: Pick<Logger, 'warn' | 'info'>
  readonly readSettled: () => Promise<readonly SettledCounts[]>
  /** Monotonic. */
  readonly nowMs?: () => number
}

const SETTLED_KEEP_MS = 30_000
/** More than are open at a time. The oldest is forgotten. */
const MOST_USED = 10_000

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

  /** In the background: no quote waits for it. */
  function refresh(): void {
    if (nowMs() < readAgainAt) return
    readAgainAt = nowMs() + SETTLED_KEEP_MS
    readSettled().then(
      (counts) => {
        settled = new Map(counts.map(({ solverId, ...orders }) => [solverId, orders]))
      },
      (error: unknown) => log.warn({ err: error }, 'how orders of solvers ended cannot be read: their last known scores stay'),
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
      // Nobody is left: the user rather waits for one that fails often than gets no answer.
      const rest = having('trial', 'out')
      return { waitedFor, trials: rest.length > 0 ? rest : members }
    },
    noteRefusal: (key, solverId) => refused.note(key, solverId),
    noteShort: (key, solverId) => short.note(key, solverId),
    noteUse(quote) {
      used.add(nameOf(quote))
      const [oldest] = used
      if (used.size > MOST_USED && oldest !== undefined) used.delete(oldest)
    },
    isUsed: (quote) => used.has(nameOf(quote)),
    noteFunded(key, solverId) {
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
