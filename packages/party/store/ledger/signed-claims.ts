/** Stores signed claims of affiliates that are not paid yet. Anyone who has the signature can claim at any time. */

import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** The contract that pays may have the same address on several chains. */
export type PayingContract = { readonly chain: ChainId; readonly contract: string }

/** `total` is the highest signed amount, `paid` what the contract had paid at the last reading. */
export type SignedClaim = { readonly affiliate: string; readonly asset: AssetId; readonly total: bigint; readonly paid: bigint }

export async function readOpenClaims(db: Database, { chain, contract }: PayingContract): Promise<readonly SignedClaim[]> {
  return db
    .selectFrom('signed_claims')
    .select(['affiliate', 'asset', 'total', 'paid'])
    .where('chain', '=', chain)
    .where('contract', '=', contract)
    .whereRef('total', '>', 'paid')
    .execute()
}

/** Neither total nor payment ever decreases. The record must be durable before a signature is given out. */
export async function recordClaims(db: Database, { chain, contract }: PayingContract, claims: readonly SignedClaim[]): Promise<void> {
  if (claims.length === 0) return
  const column = (read: (claim: SignedClaim) => string) => claims.map(read)
  await sql`
    insert into signed_claims as known (chain, contract, asset, affiliate, total, paid)
    select ${chain}, ${contract}, * from unnest(
      ${column(({ asset }) => asset)}::text[], ${column(({ affiliate }) => affiliate)}::text[],
      ${column(({ total }) => total.toString())}::numeric[], ${column(({ paid }) => paid.toString())}::numeric[]
    )
    on conflict (chain, contract, asset, affiliate) do update set
      total = greatest(known.total, excluded.total), paid = greatest(known.paid, excluded.paid)`.execute(db)
}
