/** The solver's balances, less the amounts that funded orders reserve. */
import type { ChainClient } from '../chains/port/client.ts'
import { ChainFailure } from '../chains/port/failure.ts'
import { clientFor } from '../engine/facts.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { AssetId } from '../protocol/asset.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import type { Database } from '../store/database/database.ts'
import { createTtlCache } from '../ttl-cache.ts'
import { createReservations } from './reservations.ts'

export interface Inventory {
  /** For new quotes and orders, from at most a quarter of a second ago. They reserve nothing themselves. */
  available(asset: AssetId): Promise<bigint>
  /** For signing a fill. Only promised amounts are reserved here: a funded order without a signed fill has no priority over others. */
  availableToAgree(asset: AssetId): Promise<bigint>
  /** Holdings on all chains that answer. */
  list(): Promise<readonly Holding[]>
}

export type Holding = {
  readonly asset: AssetId
  readonly address: string
  readonly balance: bigint
  /** The balance less the amounts that funded orders reserve. */
  readonly available: bigint
}

const AVAILABLE_KEEP_MS = 250
const MAX_ASSETS = 1_000

export function createInventory(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: Keyring
  readonly now: () => bigint
  readonly keepMs?: number
}): Inventory {
  const { registry, clients, keys } = options
  const kept = createTtlCache<bigint>({ keepMs: options.keepMs ?? AVAILABLE_KEEP_MS, maxEntries: MAX_ASSETS })
  const reservations = createReservations(options)

  async function hold(asset: AssetId, reserved: ReadonlyMap<AssetId, bigint>): Promise<Holding> {
    const client = clientFor(clients, registry.asset(asset).chain)
    const address = client.addressOf(keys.of(client.curve))
    const balance = await client.balance(asset, address)
    const left = balance - (reserved.get(asset) ?? 0n)
    return { asset, address, balance, available: left > 0n ? left : 0n }
  }

  return {
    available: (asset) => kept.get(asset, async () => (await hold(asset, await reservations.read(['promised', 'expected']))).available),
    async availableToAgree(asset) {
      return (await hold(asset, await reservations.read(['promised']))).available
    },
    async list() {
      const reserved = await reservations.read(['promised', 'expected'])
      const active = registry.assets.filter((asset) => asset.deployment !== null)
      const holdings = await Promise.all(
        active.map(({ id }) =>
          hold(id, reserved).catch((error: unknown) => {
            // One unreachable chain must not hide the balances on the others.
            if (error instanceof ChainFailure) return null
            throw error
          }),
        ),
      )
      return holdings.filter((holding) => holding !== null)
    },
  }
}
