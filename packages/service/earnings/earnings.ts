/** The route GET /apps/earnings tells what affiliates earned by the orders of an app, and what they can claim. */

import type { App } from '@tandem/party/store/apps/apps.ts'
import { type Earnings, readEarnings } from '@tandem/party/store/ledger/ledger.ts'
import { markOwnPaidIn } from '@tandem/party/store/ledger/paid-in.ts'
import { formatUsd, usdMicros } from '@tandem/protocol/amount.ts'
import type { EarningsQuery, EarningsRecord } from '@tandem/protocol/wire/earnings.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from '../context.ts'
import type { ClaimState } from './claim-question.ts'

/** An answer reads chains and signs, so a caller must not be able to repeat the work for free. */
const KEEP_MS = 2_000
const MAX_ANSWERS = 1_000
const DEFAULT_PER_PAGE = 100

export type EarningsDesk = (app: App, query: EarningsQuery) => Promise<readonly EarningsRecord[]>

export function createEarningsDesk(context: ServiceContext): EarningsDesk {
  const answers = createTtlCache<readonly EarningsRecord[]>({ keepMs: KEEP_MS, maxEntries: MAX_ANSWERS })
  return ({ name }, { address = null, page = 1, per_page = DEFAULT_PER_PAGE }) =>
    answers.get(JSON.stringify([name, address, page, per_page]), () =>
      listEarnings(context, {
        app: name,
        affiliates: address === null ? null : formsOf(context, address),
        offset: (page - 1) * per_page,
        limit: per_page,
      }),
    )
}

/** The ledger has the canonical notation of the chain that pays, or the given text where no chain pays. */
function formsOf({ clients }: ServiceContext, address: string): readonly string[] {
  return [...new Set([address, ...[...clients.values()].flatMap(({ text }) => text.comparable(address) ?? [])])]
}

async function listEarnings(context: ServiceContext, query: Parameters<typeof readEarnings>[1]): Promise<readonly EarningsRecord[]> {
  const { db, registry, claims, settings } = context
  await markOwnPaidIn(db, settings.ownSolvers)
  const rows = (await readEarnings(db, query)).map((row) => ({ row, asset: registry.assets.find(({ id }) => id === row.asset) }))
  const states = await claims.read(
    rows.map(({ row, asset }) => ({ affiliate: row.affiliate, chain: asset?.chain ?? '', asset: row.asset, total: row.total })),
  )
  return rows.map(({ row }, index) => toWire(context, row, states[index] ?? { kind: 'none' }))
}

function toWire(
  context: ServiceContext,
  { affiliate, asset: id, amount, usdMicros: usd, waiting }: Earnings,
  claim: ClaimState,
): EarningsRecord {
  return {
    total_earnings: amount.toString(),
    total_earnings_usd: formatUsd(usd),
    affiliate,
    asset: id,
    token_address: tokenAddressOf(context, id),
    ...(claim.kind === 'claimable' && {
      claim_amount: claim.amount.toString(),
      ...claimValue(context, id, claim.amount),
      claim_total: claim.total.toString(),
      claim_signature: claim.signature,
      claim_contract: claim.contract,
    }),
    ...(claim.kind === 'unavailable' && { claim_unavailable: claim.reason }),
    ...(claim.kind === 'none' &&
      waiting > 0n && { claim_unavailable: `${waiting} can be claimed once the solvers that collected it have paid it in` }),
  }
}

function claimValue({ registry, prices }: ServiceContext, id: Earnings['asset'], amount: bigint): Pick<EarningsRecord, 'claim_amount_usd'> {
  const asset = registry.assets.find((known) => known.id === id)
  const price = prices.find(id)
  return asset === undefined || price === null ? {} : { claim_amount_usd: formatUsd(usdMicros(amount, asset.decimals, price)) }
}

function tokenAddressOf({ registry, clients, claims }: ServiceContext, id: Earnings['asset']): string {
  const asset = registry.assets.find((known) => known.id === id)
  if (asset === undefined) return ''
  const distributor = claims.paysOn(asset.chain) ? clients.get(asset.chain)?.distributor : undefined
  return distributor?.tokenOf(id) ?? asset.deployment?.token ?? ''
}
