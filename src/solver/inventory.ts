/** What the solver can still promise: what it holds, less what funded orders are about to take. */
import type { ChainClient, Signer } from '../chains/family.ts'
import { clientFor, isServed, loadFacts } from '../engine/facts.ts'
import type { AssetId } from '../protocol/asset.ts'
import type { ChainId } from '../protocol/chain.ts'
import { playbook } from '../protocol/playbook.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import { deriveOrder } from '../protocol/state.ts'
import type { Database } from '../store/database.ts'
import { listActiveOrders } from '../store/orders.ts'

export interface Inventory {
  available(asset: AssetId): Promise<bigint>
}

export function createInventory(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly signer: Signer
  readonly now: () => bigint
}): Inventory {
  const { db, registry, clients, signer } = options

  /** Only a funded order reserves: unfunded ones cost nothing to make, and must not block anyone. */
  async function reserved(asset: AssetId): Promise<bigint> {
    const orders = (await listActiveOrders(db)).filter((stored) => isServed(registry, stored))
    const facts = await loadFacts(db, registry, orders, options.now())
    const initiation = playbook.filter((rule) => rule.who === 'solver' && rule.verb === 'initiate')
    return facts
      .map(deriveOrder)
      .filter((state) => state.order.destination.terms.asset === asset && initiation.some((rule) => rule.holds(state)))
      .reduce((sum, state) => sum + state.order.destination.terms.amount, 0n)
  }

  return {
    async available(asset) {
      const client = clientFor(clients, registry.asset(asset).chain)
      const held = await client.balance(asset, client.addressOf(signer))
      const left = held - (await reserved(asset))
      return left > 0n ? left : 0n
    },
  }
}
