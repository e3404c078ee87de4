/** The recent quotes of a solver. */
import type { AssetId } from '../../protocol/asset.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
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
  /** Who asked: an opaque name from the service. */
  readonly app: string | null
}

export interface QuoteWriter {
  /** Resolves when the quote is stored. Concurrent quotes share a statement. */
  write(quote: StoredQuote): Promise<void>
}

const KEEP_EXPIRED_SECONDS = 3600n
const DELETE_EVERY_SECONDS = 60n

const insertQuotes = prepare<never>(
  'insert-quotes',
  `insert into quotes (id, source_asset, destination_asset, source_amount, destination_amount, extra_fee_bips, expires_at, app)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::numeric[], $6::integer[], $7::bigint[], $8::text[])`,
)

export function createQuoteWriter(db: Database): QuoteWriter {
  let deletedBefore: bigint | null = null

  /** Reads all rows, so not at every quote. */
  async function deleteExpired(now: bigint): Promise<void> {
    const before = now - KEEP_EXPIRED_SECONDS
    if (deletedBefore !== null && before < deletedBefore + DELETE_EVERY_SECONDS) return
    deletedBefore = before
    await db.deleteFrom('quotes').where('expires_at', '<', before).execute()
  }

  async function writeBatch(batch: readonly Waiting<StoredQuote, void>[]): Promise<void> {
    const quotes = batch.map(({ item }) => item)
    const column = (read: (quote: StoredQuote) => string | number | null) => quotes.map(read)
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
      ])
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return { write: shareStatements(writeBatch) }
}

/** Whether an unexpired quote of this app is at least as good for the user as this request. Another app may have another price. */
export async function hasQuoteCovering(
  db: Database,
  asked: Omit<StoredQuote, 'id' | 'expiresAt'> & { readonly now: bigint },
): Promise<boolean> {
  const row = await db
    .selectFrom('quotes')
    .select('id')
    .where('source_asset', '=', asked.source)
    .where('destination_asset', '=', asked.destination)
    .where('source_amount', '<=', asked.sourceAmount)
    .where('destination_amount', '>=', asked.destinationAmount)
    .where('extra_fee_bips', '>=', asked.extraFeeBips)
    .where('expires_at', '>=', asked.now)
    .where('app', 'is not distinct from', asked.app)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
