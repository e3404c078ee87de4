/** What was signed for affiliates and is not paid yet: whoever has a signature can claim it at any time. */

import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** The contract that pays, which may have the same address on several chains. */
export type PayingContract = { readonly chain: ChainId; readonly contract: string }

/** `total`: the highest that was signed. `paid`: what the contract had paid when it was read last. */
export type SignedClaim = { readonly affiliate: string; readonly asset: AssetId; readonly total: bigint; readonly paid: bigint }

/** Those that the contract has not paid in full. */
export async function readOpenClaims(db: Database, { chain, contract }: PayingContract): Promise<readonly SignedClaim[]> {
  return db
    .selectFrom('signed_claims')
    .select(['affiliate', 'asset', 'total', 'paid'])
    .where('chain', '=', chain)
    .where('contract', '=', contract)
    .whereRef('total', '>', 'paid')
    .execute()
}

/** Neither total nor payment ever decreases. Must be durable before a signature is given out. */
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
