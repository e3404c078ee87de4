/** The solvers' inventory, the relay key's balances for network fees, and the costs of sponsoring are read here. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { readBudgets } from '@tandem/party/store/operator-view/budgets.ts'
import { formatUnits, formatUsd, usdMicros } from '@tandem/protocol/amount.ts'
import type { BudgetsRecord, InventoryRecord } from '@tandem/protocol/wire/operator.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from '../context.ts'
import type { SolverStatus } from '../solver-status.ts'

const CACHE_MS = 20_000

export interface MoneyReader {
  inventory(): Promise<InventoryRecord>
  budgets(): Promise<BudgetsRecord>
}

type MoneyContext = Pick<ServiceContext, 'db' | 'registry' | 'clients' | 'prices' | 'solvers' | 'settings'>

export function createMoneyReader(
  context: MoneyContext,
  status: Pick<SolverStatus, 'liquidity'>,
  relay: PublicKeyring | null,
): MoneyReader {
  const inventories = createTtlCache<InventoryRecord>({ keepMs: CACHE_MS, maxEntries: 1 })
  const budgets = createTtlCache<BudgetsRecord>({ keepMs: CACHE_MS, maxEntries: 1 })
  return {
    inventory: () => inventories.get('', () => readInventory(context, status)),
    budgets: () =>
      budgets.get('', async () => {
        const [gas, apps] = await Promise.all([relay === null ? [] : readGas(context, relay), readBudgets(context.db)])
        return {
          gas,
          sponsorship: apps.map(({ app, sponsored, sponsoredPerDay }) => ({ app, used: sponsored, per_day: sponsoredPerDay })),
          refunds: apps
            .filter(({ refundsUsdMicros }) => refundsUsdMicros > 0n)
            .map(({ app, refundsUsdMicros }) => ({
              app,
              paid_usd: formatUsd(refundsUsdMicros),
              per_day_usd: formatUsd(context.settings.refundBudget.appUsdMicros),
            })),
        }
      }),
  }
}

async function readInventory({ registry, solvers }: MoneyContext, status: Pick<SolverStatus, 'liquidity'>): Promise<InventoryRecord> {
  const known = await status.liquidity()
  const assets = new Map<string, (typeof registry.assets)[number]>(registry.assets.map((asset) => [asset.id, asset]))
  const answered = new Set(known.map(({ solver_id }) => solver_id))
  return {
    at: new Date().toISOString(),
    silent: solvers.map(({ id }) => id).filter((id) => !answered.has(id)),
    holdings: known.flatMap(({ solver_id, liquidity }) =>
      liquidity.map((holding) => {
        const { symbol, decimals } = assets.get(holding.asset) ?? { symbol: '', decimals: 0 }
        return {
          solver_id,
          asset: holding.asset,
          symbol,
          balance: formatUnits(BigInt(holding.balance), decimals),
          available: formatUnits(BigInt(holding.virtual_balance), decimals),
          available_usd: holding.fiat_value,
        }
      }),
    ),
  }
}

/** Only chains where the sender's account pays the network fees are listed. Elsewhere transactions pay out of what they spend. */
async function readGas({ clients, registry, prices }: MoneyContext, relay: PublicKeyring): Promise<BudgetsRecord['gas']> {
  const payers = [...clients.values()].filter(({ orderKeys }) => orderKeys === undefined)
  return Promise.all(
    payers.map(async (client) => {
      const { id, nativeAsset } = client.chain
      const asset = registry.assets.find((one) => one.id === nativeAsset)
      const address = client.addressOf(relay.of(client))
      const balance = await balanceOrNull(client, address)
      const price = prices.find(nativeAsset)
      const decimals = asset?.decimals ?? null
      return {
        chain: id,
        asset: nativeAsset,
        symbol: asset?.symbol ?? nativeAsset.split(':')[1]?.toUpperCase() ?? '',
        address,
        balance: balance === null ? null : decimals === null ? balance.toString() : formatUnits(balance, decimals),
        usd: balance === null || decimals === null || price === null ? null : formatUsd(usdMicros(balance, decimals, price)),
      }
    }),
  )
}

async function balanceOrNull(client: ChainClient, address: string): Promise<bigint | null> {
  try {
    return await client.balance(client.chain.nativeAsset, address)
  } catch (error) {
    if (error instanceof ChainFailure) return null
    throw error
  }
}
