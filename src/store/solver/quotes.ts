/** The recent quotes of a solver. */
import type { AssetId } from '../../protocol/asset.ts'
import type { Database } from '../database/database.ts'

export type StoredQuote = {
  readonly id: string
  readonly source: AssetId
  readonly destination: AssetId
  readonly sourceAmount: bigint
  readonly destinationAmount: bigint
  readonly extraFeeBips: number
  /** Unix seconds. */
  readonly expiresAt: bigint
}

export async function insertQuote(db: Database, quote: StoredQuote): Promise<void> {
  await db
    .deleteFrom('quotes')
    .where('expires_at', '<', quote.expiresAt - 3600n)
    .execute()
  await db
    .insertInto('quotes')
    .values({
      id: quote.id,
      source_asset: quote.source,
      destination_asset: quote.destination,
      source_amount: quote.sourceAmount,
      destination_amount: quote.destinationAmount,
      extra_fee_bips: quote.extraFeeBips,
      expires_at: quote.expiresAt,
    })
    .execute()
}

/** Whether an unexpired quote is at least as good for the user as this request. */
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
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
