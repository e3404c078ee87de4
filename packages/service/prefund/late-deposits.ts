/**
 * Chooses the deposit addresses to read for money that came too late, or twice. Orders that nobody pays are free to make and stay open for a week, so one
 * round over all of them could take hours. Each reading takes the next page of every age instead: what delays the finding of a late payment are only
 * orders that expired about when its own did.
 */
import type { Database } from '@tandem/party/store/database/database.ts'
import { type ExpiredPlace, listExpiredDeposits, listFundedDeposits } from '@tandem/party/store/orders/late-deposits.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** In seconds since the deadline. Each age is three times as long as the one before. An order is closed after a week, or later if its chain stood still. */
const AGES = [0n, 120n, 360n, 1_080n, 3_240n, 9_720n, 29_160n, 87_480n, 262_440n, 2_592_000n]

/** `isLast` means that a round over all orders is done. */
export type LatePage = { readonly orders: readonly StoredOrder[]; readonly isLast: boolean }

/** Each call returns the next pages; after the last ones, the first. */
export function createLatePages(db: Database, chain: ChainId): (now: bigint) => Promise<LatePage> {
  let withMoney: string | null = null
  let places: readonly (ExpiredPlace | null)[] = AGES.slice(1).map(() => null)
  return async (now) => {
    const ages = AGES.slice(1).map((oldest, index) => {
      const since = now - oldest
      const place = places[index] ?? null
      // A place may have grown older than its age meanwhile.
      const after = place !== null && place.deadline >= since ? place : { deadline: since - 1n, seq: 0n }
      return { since, until: now - (AGES[index] ?? 0n), after }
    })
    const [funded, expired] = await Promise.all([
      listFundedDeposits(db, chain, { now, after: withMoney ?? '' }),
      listExpiredDeposits(db, chain, ages),
    ])
    withMoney = funded.end
    places = expired.map(({ end }) => end)
    const pages = [funded, ...expired]
    return { orders: pages.flatMap(({ orders }) => orders), isLast: pages.every(({ end }) => end === null) }
  }
}
