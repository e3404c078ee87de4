/** The solver's balances, less what funded orders reserve and what is kept for network fees. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import type { Reservation } from '@tandem/party/store/solver/reservations.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { createGrants } from './grants.ts'
import { createReservations, mayBecomeDue } from './reservations.ts'

export interface Inventory {
  /** For new quotes and orders, from at most a quarter of a second ago. They reserve nothing themselves. */
  available(asset: AssetId): Promise<bigint>
  /** Keeps this amount for an order with a deposit. Null: it is kept. Else why not. */
  reserve(wanted: Reservation): Promise<string | null>
  /** The solver pays only what it keeps for the order. A text: it cannot. */
  payCheck(state: OrderState): Promise<string | null>
  /** Reserves for orders whose deposits are in blocks and wait for confirmations. Never rejects. */
  reserveSeen(states: readonly OrderState[]): Promise<void>
  /** Holdings on all chains that answer. */
  list(): Promise<readonly Holding[]>
}

export type Holding = {
  readonly asset: AssetId
  readonly address: string
  readonly balance: bigint
  /** The balance less what funded orders reserve and what is kept for network fees. */
  readonly available: bigint
}

const AVAILABLE_KEEP_MS = 250
const MAX_ASSETS = 1_000
const MOST_SEEN = 10_000

export function createInventory(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: Keyring
  readonly now: () => bigint
  readonly keepMs?: number
  /** Why the cap of its pair allows no more; absent: there is none. */
  readonly whyOverCap?: (orderId: string) => Promise<string | null>
  readonly onTrouble?: (error: unknown) => void
  /** What is kept for network fees, where this asset pays them. */
  readonly keptForFees?: (asset: AssetId) => bigint
  /** What orders in flight still take of it as network fees. */
  readonly feeDuties?: (asset: AssetId) => Promise<bigint>
  /** The amount is kept for this order. */
  readonly onReserved?: (orderId: string) => void
}): Inventory {
  const { db, registry, clients, keys, onTrouble = () => undefined, keptForFees = () => 0n, feeDuties = async () => 0n } = options
  const kept = createTtlCache<bigint>({ keepMs: options.keepMs ?? AVAILABLE_KEEP_MS, maxEntries: MAX_ASSETS })
  const reservations = createReservations(options)
  const grants = createGrants({
    db,
    reservations,
    // Half of what is kept may be promised once a deposit is there: fees that rise meanwhile break no quote. What redeems in flight cost never is.
    async balanceOf(asset) {
      const [duties, half] = [await feeDuties(asset), keptForFees(asset) / 2n]
      return (await balanceOf(asset)).balance - (duties > half ? duties : half)
    },
    ...(options.whyOverCap !== undefined && { whyOverCap: options.whyOverCap }),
  })
  async function reserve(wanted: Reservation): Promise<string | null> {
    const refusal = await grants.reserve(wanted)
    if (refusal === null) options.onReserved?.(wanted.orderId)
    return refusal
  }
  /** Reserved by this process: not asked for again at every block. */
  const seen = new Set<string>()

  async function balanceOf(asset: AssetId): Promise<Pick<Holding, 'address' | 'balance'>> {
    const client = clientFor(clients, registry.asset(asset).chain)
    const address = client.addressOf(keys.of(client.curve))
    return { address, balance: await client.balance(asset, address) }
  }

  async function hold(asset: AssetId, reserved: ReadonlyMap<AssetId, bigint>): Promise<Holding> {
    const { address, balance } = await balanceOf(asset)
    const left = balance - (reserved.get(asset) ?? 0n) - keptForFees(asset)
    return { asset, address, balance, available: left > 0n ? left : 0n }
  }

  return {
    available: (asset) => kept.get(asset, async () => (await hold(asset, await reservations.read(['firm', 'expected']))).available),
    reserve,
    async payCheck({ order: { id, destination } }) {
      const { asset, amount } = destination.terms
      const { reserved } = await readPayFacts(db, id)
      return reserved !== null && reserved >= amount ? null : reserve({ orderId: id, asset, amount })
    },
    async reserveSeen(states) {
      const waiting = states.filter((state) => state.source.phase === 'seen' && mayBecomeDue(state) && !seen.has(state.order.id))
      await Promise.all(
        waiting.map(async ({ order: { id, destination } }) => {
          try {
            if ((await reserve({ orderId: id, asset: destination.terms.asset, amount: destination.terms.amount })) === null) seen.add(id)
          } catch (error) {
            // It is asked for again with the next block, and before the payment.
            onTrouble(error)
          }
        }),
      )
      for (const id of seen) if (seen.size > MOST_SEEN) seen.delete(id)
    },
    async list() {
      const reserved = await reservations.read(['firm', 'expected'])
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
