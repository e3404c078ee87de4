/** The solver's balances, less the amounts that funded orders reserve. */
import type { ChainClient } from '../chains/port/client.ts'
import { ChainFailure } from '../chains/port/failure.ts'
import { clientFor, isServed, loadFacts } from '../engine/facts.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { AssetId } from '../protocol/asset.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import { awaitsFill, playbook } from '../protocol/playbook.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import { deriveOrder, type OrderState } from '../protocol/state.ts'
import type { Database } from '../store/database/database.ts'
import { listActiveOrders } from '../store/orders/orders.ts'

export interface Inventory {
  /** For new quotes and orders. */
  available(asset: AssetId): Promise<bigint>
  /** For signing a fill. Only orders with a signed fill reserve here: a funded order without one has no priority over others. */
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

/** Funded, and only the solver's fill signature is missing, which it can still give. */
function isAboutToBeAgreed(state: OrderState): boolean {
  return awaitsFill(state) && state.gapSeconds > 0n && state.destination.counted.length === 0
}

export function createInventory(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: Keyring
  readonly now: () => bigint
}): Inventory {
  const { db, registry, clients, keys } = options

  /** By asset. Only funded orders reserve: anyone can make unfunded orders for free, and they must not block others. */
  async function readReserved(counts: (state: OrderState) => boolean): Promise<ReadonlyMap<AssetId, bigint>> {
    const orders = (await listActiveOrders(db)).filter((stored) => isServed(registry, stored))
    const facts = await loadFacts(db, registry, orders, options.now())
    const initiation = playbook.filter((rule) => rule.who === 'solver' && rule.verb === 'initiate')
    const reserved = new Map<AssetId, bigint>()
    for (const state of facts.map(deriveOrder)) {
      if (!initiation.some((rule) => rule.holds(state)) && !counts(state)) continue
      const { asset, amount } = state.order.destination.terms
      reserved.set(asset, (reserved.get(asset) ?? 0n) + amount)
    }
    return reserved
  }

  async function hold(asset: AssetId, reserved: ReadonlyMap<AssetId, bigint>): Promise<Holding> {
    const client = clientFor(clients, registry.asset(asset).chain)
    const address = client.addressOf(keys.of(client.curve))
    const balance = await client.balance(asset, address)
    const left = balance - (reserved.get(asset) ?? 0n)
    return { asset, address, balance, available: left > 0n ? left : 0n }
  }

  return {
    async available(asset) {
      return (await hold(asset, await readReserved(isAboutToBeAgreed))).available
    },
    async availableToAgree(asset) {
      return (await hold(asset, await readReserved(() => false))).available
    },
    async list() {
      const reserved = await readReserved(isAboutToBeAgreed)
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
