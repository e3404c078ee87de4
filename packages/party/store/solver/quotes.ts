/** Stores the recent quotes of a solver. */

import type { AssetId } from '@tandem/protocol/asset.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { prepareWrite } from '../database/prepared.ts'
import { shareStatements, type Waiting } from '../database/share-statements.ts'

export type StoredQuote = {
  readonly id: string
  readonly source: AssetId
  readonly destination: AssetId
  readonly sourceAmount: bigint
  readonly destinationAmount: bigint
  readonly extraFeeBips: number
  /** Unix seconds. */
  readonly expiresAt: bigint
  /** The service gives an opaque name of the app. */
  readonly app: string | null
  /** A quote for an order whose secret the client keeps covers other orders too. */
  readonly clientSecret: boolean
}

export interface QuoteWriter {
  /** Resolves when the quote is stored. Concurrent quotes share a statement. */
  write(quote: StoredQuote): Promise<void>
}

const KEEP_EXPIRED_SECONDS = 3600n
const DELETE_EVERY_SECONDS = 60n

const insertQuotes = prepareWrite(
  'insert-quotes',
  `insert into quotes (id, source_asset, destination_asset, source_amount, destination_amount, extra_fee_bips, expires_at, app, client_secret)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::numeric[], $6::integer[], $7::bigint[], $8::text[], $9::boolean[])`,
)

export function createQuoteWriter(db: Database): QuoteWriter {
  let deletedBefore: bigint | null = null

  /** The statement reads all rows, so it does not run at every quote. */
  async function deleteExpired(now: bigint): Promise<void> {
    const before = now - KEEP_EXPIRED_SECONDS
    if (deletedBefore !== null && before < deletedBefore + DELETE_EVERY_SECONDS) return
    deletedBefore = before
    await db.deleteFrom('quotes').where('expires_at', '<', before).execute()
  }

  async function writeBatch(batch: readonly Waiting<StoredQuote, void>[]): Promise<void> {
    const quotes = batch.map(({ item }) => item)
    const column = (read: (quote: StoredQuote) => string | number | boolean | null) => quotes.map(read)
    try {
      for (const { expiresAt } of quotes.slice(-1)) await deleteExpired(expiresAt)
      await insertQuotes(db, [
        column(({ id }) => id),
        column(({ source }) => source),
        column(({ destination }) => destination),
        column(({ sourceAmount }) => sourceAmount.toString()),
        column(({ destinationAmount }) => destinationAmount.toString()),
        column(({ extraFeeBips }) => extraFeeBips),
        column(({ expiresAt }) => expiresAt.toString()),
        column(({ app }) => app),
        column(({ clientSecret }) => clientSecret),
      ])
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return { write: shareStatements(writeBatch) }
}

export type CoveringQuote = {
  readonly destinationAmount: bigint
  /**
   * An exact quote is for exactly this source amount and these fees, and says what the order gets. Any other quote only says that the order
   * asks for no more.
   */
  readonly isExact: boolean
}

/** With an `id` only this quote counts, if it is exact. */
export type CoveredRequest = Omit<StoredQuote, 'id' | 'expiresAt'> & {
  readonly id: string | null
  readonly now: bigint
  readonly orderId: string
}

/**
 * Returns an unexpired quote of this app that is at least as good for the user as this request; null if there is none. Free quotes come
 * first, then exact ones, then the nearest to the request. Another app may have another price.
 */
export async function findCoveringQuote(db: Database, asked: CoveredRequest): Promise<CoveringQuote | null> {
  const row = await covering(db, asked)
    .select(['destination_amount', 'source_amount', 'extra_fee_bips'])
    .orderBy(isFree(asked), 'desc')
    .orderBy('source_amount', 'desc')
    .orderBy('extra_fee_bips')
    .orderBy('destination_amount')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return null
  const isExact = row.source_amount === asked.sourceAmount && row.extra_fee_bips === asked.extraFeeBips
  return { destinationAmount: row.destination_amount, isExact }
}

/**
 * Takes a quote for an order. A quote is a promise for one order, the first that names it. Returns false if other orders took all quotes
 * that cover this request. The call is safe to repeat for the same order. Quotes that another order takes at this moment are skipped.
 */
export async function takeQuote(db: Database, asked: CoveredRequest): Promise<boolean> {
  const free = covering(db, asked)
    .select('id')
    .where(isFree(asked))
    .orderBy('taken_by', (order) => order.asc().nullsLast())
    .orderBy('destination_amount')
    .limit(1)
    .forUpdate()
    .skipLocked()
  const taken = await db
    .updateTable('quotes')
    .set({ taken_by: takerOf(asked) })
    .where('id', '=', free)
    .returning('id')
    .execute()
  return taken.length > 0
}

/** An order that names no quote takes any of its app. */
const UNNAMED = 'unnamed '

const takerOf = ({ id, orderId }: CoveredRequest) => (id === null ? `${UNNAMED}${orderId}` : orderId)

/** An order that names a quote gets it, even if unfunded orders of strangers, which name none, took it. */
function isFree(asked: CoveredRequest) {
  const taker = takerOf(asked)
  return asked.id === null
    ? sql<boolean>`coalesce(taken_by, ${taker}) = ${taker}`
    : sql<boolean>`(coalesce(taken_by, ${taker}) = ${taker} or starts_with(taken_by, ${UNNAMED}))`
}

function covering(db: Database, asked: CoveredRequest) {
  return db
    .selectFrom('quotes')
    .where('source_asset', '=', asked.source)
    .where('destination_asset', '=', asked.destination)
    .where('source_amount', '<=', asked.sourceAmount)
    .where('destination_amount', '>=', asked.destinationAmount)
    .where('extra_fee_bips', '>=', asked.extraFeeBips)
    .where('expires_at', '>=', asked.now)
    .where('app', 'is not distinct from', asked.app)
    .$if(asked.clientSecret, (query) => query.where('client_secret', '=', true))
    .$if(asked.id !== null, (query) =>
      query.where('id', '=', asked.id).where('source_amount', '=', asked.sourceAmount).where('extra_fee_bips', '=', asked.extraFeeBips),
    )
}
