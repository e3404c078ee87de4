/** The balance sheets tell the operator what affiliates are owed in each asset, and what the contracts hold to pay them. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { type Account, readTotals } from '@tandem/party/store/ledger/ledger.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { isPayable, whyUnpayable } from './payable.ts'

export type BalanceSheet = {
  readonly asset: AssetId
  readonly affiliates: number
  readonly earned: bigint
  /** Solvers have not paid this part of `earned` in, so nobody can claim it yet. */
  readonly waiting: bigint
  readonly paid: bigint
  readonly due: bigint
  /** This is null if no contract pays affiliates on the chain, or the chain is not served. */
  readonly payer: {
    readonly contract: string
    readonly isDeployed: boolean
    readonly held: bigint
    readonly missing: bigint
  } | null
  /** Affiliates who were paid more than the ledger says they earned: the database is older than the payments, or the key signed elsewhere. */
  readonly overpaid: readonly string[]
  readonly unpayable: readonly string[]
}

export type BookContext = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
}

const BATCH = 100

type Total = Account & { readonly earned: bigint; readonly total: bigint }

export async function readBalanceSheets(context: BookContext): Promise<readonly BalanceSheet[]> {
  const totals = await readTotals(context.db)
  const assets = [...new Set(totals.map(({ asset }) => asset))]
  const sheets: BalanceSheet[] = []
  for (const asset of assets)
    sheets.push(
      await readSheet(
        context,
        asset,
        totals.filter((one) => one.asset === asset),
      ),
    )
  return sheets
}

async function readSheet(context: BookContext, asset: AssetId, totals: readonly Total[]): Promise<BalanceSheet> {
  const earned = totals.reduce((sum, one) => sum + one.earned, 0n)
  const payableInAll = totals.reduce((sum, { total }) => sum + total, 0n)
  const base = { asset, affiliates: totals.length, earned, waiting: earned - payableInAll }
  const payer = payerOf(context, asset)
  if (payer === null) return { ...base, paid: 0n, due: payableInAll, payer: null, overpaid: [], unpayable: [] }
  const { client, distributor, key } = payer
  await client.verifyNode()
  const contract = distributor.contractOf(key)
  const payable = totals.filter(({ affiliate }) => isPayable(client, affiliate))
  const unpayable = totals.filter(({ affiliate }) => !isPayable(client, affiliate))
  const owed = unpayable.reduce((sum, { total }) => sum + total, 0n)
  const texts = unpayable.map(({ affiliate, total }) => `${total} ${asset}: ${whyUnpayable({ affiliate, chain: client.chain.id })}`)
  if (!(await distributor.isDeployed(key)))
    return {
      ...base,
      paid: 0n,
      due: payableInAll,
      payer: { contract, isDeployed: false, held: 0n, missing: payableInAll - owed },
      overpaid: [],
      unpayable: texts,
    }
  const paid: bigint[] = []
  for (let from = 0; from < payable.length; from += BATCH)
    paid.push(
      ...(await distributor.paid(
        key,
        payable.slice(from, from + BATCH).map(({ affiliate }) => ({ recipient: affiliate, asset })),
      )),
    )
  const dues = payable.map(({ total }, index) => total - (paid[index] ?? 0n))
  const due = dues.reduce((sum, one) => (one > 0n ? sum + one : sum), 0n)
  const held = await client.balance(asset, contract)
  return {
    ...base,
    paid: paid.reduce((sum, one) => sum + one, 0n),
    due: due + owed,
    payer: { contract, isDeployed: true, held, missing: due > held ? due - held : 0n },
    overpaid: payable.flatMap(({ affiliate }, index) => ((dues[index] ?? 0n) < 0n ? [affiliate] : [])),
    unpayable: texts,
  }
}

/** Returns null where no contract pays affiliates. */
export function payerOf({ registry, clients, keys }: BookContext, id: AssetId) {
  const asset = registry.assets.find((known) => known.id === id)
  const client = asset === undefined || asset.deployment === null ? undefined : clients.get(asset.chain)
  const key = client === undefined ? null : keys.find(client)
  if (client?.distributor === undefined || key === null) return null
  return { client, distributor: client.distributor, key }
}
