/** Computes what to send where, and what stays behind and why. Only the solver decides, when it signs. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { openWithdrawals, type WithdrawalRequest } from '@tandem/party/store/solver/withdrawals.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { FreeAmount, Inventory } from '../inventory.ts'
import type { WithdrawalSettings } from './settings.ts'

/** An amount of 0 is not sent. `open` are the earlier withdrawals of this asset that still go on. */
export type Planned = WithdrawalRequest & {
  readonly staying: readonly { readonly amount: bigint; readonly why: string }[]
  readonly open: readonly string[]
}

export type PlanContext = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
  readonly settings: WithdrawalSettings
  readonly inventory: Pick<Inventory, 'free'>
  readonly targets: Readonly<Record<AssetId, string>>
}

/** Fees may double until the transfer is mined. */
const FEE_MARGIN = 2n

export async function planSend({ registry, inventory }: PlanContext, request: Omit<WithdrawalRequest, 'chain'>): Promise<Planned> {
  const { chain } = registry.asset(request.asset)
  const { free, orders, fees, withdrawals, balance } = await inventory.free(request.asset)
  if (request.amount > free)
    throw new Error(
      `${free} of ${request.asset} (smallest unit) can be sent, not ${request.amount}: the balance is ${balance}, orders need ${orders}, network fees of orders in flight ${fees}, other withdrawals ${withdrawals}`,
    )
  return { ...request, chain, staying: [], open: [] }
}

export async function planSweep(context: PlanContext, only: AssetId | null): Promise<readonly Planned[]> {
  const { registry, targets } = context
  const assets = registry.assets.filter(({ id, deployment }) => deployment !== null && targets[id] !== undefined && (only ?? id) === id)
  return planAll(
    context,
    assets.map(({ id }) => id),
    (asset) => BigInt(targets[asset] ?? 0),
  )
}

/** Coins that pay fees are planned too, even where they are not swapped. */
export async function planEvacuation(context: PlanContext): Promise<readonly Planned[]> {
  const { registry, clients } = context
  const active = registry.assets.filter(({ deployment, chain }) => deployment !== null && clients.has(chain)).map(({ id }) => id)
  const coins = [...clients.values()].map(({ chain }) => chain.nativeAsset).filter((id) => registry.assets.some((asset) => asset.id === id))
  return planAll(context, [...new Set([...active, ...coins])], () => 0n)
}

async function planAll(
  context: PlanContext,
  assets: readonly AssetId[],
  targetOf: (asset: AssetId) => bigint,
): Promise<readonly Planned[]> {
  const open = await openWithdrawals(context.db)
  const plans = await Promise.all(
    assets.map(async (asset): Promise<Planned | null> => {
      const { chain } = context.registry.asset(asset)
      const ids = open.filter((one) => one.asset === asset).map(({ id }) => id)
      const [recipient] = context.settings.addresses.get(chain) ?? []
      const client = context.clients.get(chain)
      if (client === undefined) return null
      try {
        const known = await context.inventory.free(asset)
        const kept = await keptOf(context, client, { asset, amount: known.free }, assets)
        const stays = (why: string, amount: bigint) => (amount > 0n ? [{ amount, why }] : [])
        const staying = [...reasons(known), ...stays('for fees of these transfers and of later redeems', min(kept, known.free))]
        if (recipient === undefined)
          return { chain, asset, recipient: '', amount: 0n, open: ids, staying: stays('no address is listed', known.balance) }
        if (client.transfer === undefined)
          return { chain, asset, recipient, amount: 0n, open: ids, staying: stays('this chain has no transfers yet', known.balance) }
        const spare = known.free - kept
        const above = known.balance - known.withdrawals - targetOf(asset)
        const amount = min(spare, above)
        return {
          chain,
          asset,
          recipient,
          amount: amount > 0n ? amount : 0n,
          open: ids,
          staying: [...staying, ...stays('up to its target', min(targetOf(asset), known.balance))],
        }
      } catch (error) {
        if (!(error instanceof ChainFailure)) throw error
        return {
          chain,
          asset,
          recipient: recipient ?? '',
          amount: 0n,
          open: ids,
          staying: [{ amount: 0n, why: `unknown: ${error.message}` }],
        }
      }
    }),
  )
  return plans.flatMap((plan) => plan ?? [])
}

function reasons({ orders, fees }: FreeAmount): Planned['staying'] {
  return [
    { amount: orders, why: 'reserved by funded orders' },
    { amount: fees, why: 'for network fees of orders in flight' },
  ].filter(({ amount }) => amount > 0n)
}

/** The coin pays the fees of all transfers of its chain, and the lane keeps some for redeems to come. */
async function keptOf(
  { registry, keys }: PlanContext,
  client: ChainClient,
  { asset, amount }: Pick<WithdrawalRequest, 'asset' | 'amount'>,
  assets: readonly AssetId[],
): Promise<bigint> {
  const { transfer, legCost, chain } = client
  if (asset !== chain.nativeAsset || transfer === undefined) return 0n
  const here = assets.filter((id) => registry.asset(id).chain === chain.id)
  const fees = await Promise.all(here.map((id) => transfer.fee({ asset: id, amount }, keys.of(client))))
  const swapped = registry.assetsOf(chain.id).filter(({ deployment }) => deployment !== null)
  const leaves = await Promise.all(swapped.map(async ({ id }) => (await legCost?.(id))?.leaves ?? 0n))
  return FEE_MARGIN * fees.reduce((sum, fee) => sum + fee, 0n) + leaves.reduce((most, one) => (one > most ? one : most), 0n)
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
