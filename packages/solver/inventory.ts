/** Computes what the solver can still promise: its balances, less what funded orders reserve and what is kept for network fees. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import type { Reservation } from '@tandem/party/store/solver/reservations.ts'
import { openWithdrawals, type Withdrawal } from '@tandem/party/store/solver/withdrawals.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { createGrants } from './grants.ts'
import { createReservations, mayBecomeDue } from './reservations.ts'

export interface Inventory {
  /** Returns the amount for new quotes and orders, at most a quarter of a second old. A call reserves nothing. */
  available(asset: AssetId): Promise<bigint>
  /** Reserves this amount for an order with a deposit. Returns the reason why it cannot, or null. */
  reserve(wanted: Reservation): Promise<string | null>
  /** The solver pays only what is reserved for the order. Returns the reason why it cannot reserve it, or null. */
  payCheck(state: OrderState): Promise<string | null>
  /** Reserves inventory for orders whose deposits are in blocks and wait for confirmations. Never rejects. */
  reserveSeen(states: readonly OrderState[]): Promise<void>
  list(): Promise<readonly Holding[]>
  /**
   * What may leave: the balance less what orders and other withdrawals reserve, and the network fees of orders in flight. For the withdrawal `of`, only those
   * others count that were counted already: two wishes must not wait for each other.
   */
  free(asset: AssetId, of?: string): Promise<FreeAmount>
  /** Runs while nothing is granted of this asset. */
  whileNotGranting<T>(asset: AssetId, work: () => Promise<T>): Promise<T>
}

export type FreeAmount = {
  readonly balance: bigint
  readonly orders: bigint
  readonly withdrawals: bigint
  readonly fees: bigint
  readonly free: bigint
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
const MAX_SEEN = 10_000

export function createInventory(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
  readonly now: () => bigint
  readonly keepMs?: number
  readonly whyOverCap?: (orderId: string) => Promise<string | null>
  readonly onError?: (error: unknown) => void
  readonly keptForFees?: (asset: AssetId) => bigint
  readonly feeDuties?: (asset: AssetId) => Promise<bigint>
  readonly onReserved?: (orderId: string) => void
  /** Withdrawals that may not be sent reserve nothing. It is absent where none may. */
  readonly maySend?: (withdrawal: Withdrawal) => boolean
}): Inventory {
  const { db, registry, clients, keys, onError = () => undefined, keptForFees = () => 0n, feeDuties = async () => 0n } = options
  const { maySend } = options
  const kept = createTtlCache<bigint>({ keepMs: options.keepMs ?? AVAILABLE_KEEP_MS, maxEntries: MAX_ASSETS })
  const reservations = createReservations(options)
  const grants = createGrants({
    db,
    reservations,
    // With a deposit, half of the fee reserve may be promised, so that rising fees break no quote. Fees of redeems in flight never are.
    async balanceOf(asset) {
      const [duties, half] = [await feeDuties(asset), keptForFees(asset) / 2n]
      const leaving = (await readLeaving(({ isCounted }) => isCounted)).get(asset) ?? 0n
      return (await balanceOf(asset)).balance - leaving - (duties > half ? duties : half)
    },
    ...(options.whyOverCap !== undefined && { whyOverCap: options.whyOverCap }),
  })
  async function reserve(wanted: Reservation): Promise<string | null> {
    const refusal = await grants.reserve(wanted)
    if (refusal === null) options.onReserved?.(wanted.orderId)
    return refusal
  }
  /** The orders that this process reserved for are not reserved again at every block. */
  const seen = new Set<string>()

  async function balanceOf(asset: AssetId): Promise<Pick<Holding, 'address' | 'balance'>> {
    const client = clientFor(clients, registry.asset(asset).chain)
    const address = client.addressOf(keys.of(client))
    return { address, balance: await client.balance(asset, address) }
  }

  /** A withdrawal that is in a block is not in the balance any more. */
  async function readLeaving(counts: (withdrawal: Withdrawal) => boolean): Promise<ReadonlyMap<AssetId, bigint>> {
    if (maySend === undefined) return new Map()
    const open = (await openWithdrawals(db)).filter((one) => one.settledHeight === null && maySend(one) && counts(one))
    return addUp(open.map(({ asset, amount }) => [asset, amount]))
  }

  /** Both are read before the balance: what is mined meanwhile counts twice, and is never missed. */
  async function readPromised(): Promise<ReadonlyMap<AssetId, bigint>> {
    const [reserved, leaving] = await Promise.all([reservations.read(['firm', 'expected']), readLeaving(() => true)])
    return addUp([...reserved, ...leaving])
  }

  async function hold(asset: AssetId, reserved: ReadonlyMap<AssetId, bigint>): Promise<Holding> {
    const { address, balance } = await balanceOf(asset)
    const left = balance - (reserved.get(asset) ?? 0n) - keptForFees(asset)
    return { asset, address, balance, available: left > 0n ? left : 0n }
  }

  return {
    available: (asset) => kept.get(asset, async () => (await hold(asset, await readPromised())).available),
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
            // It is tried again with the next block, and before the payment.
            onError(error)
          }
        }),
      )
      for (const id of seen) if (seen.size > MAX_SEEN) seen.delete(id)
    },
    async free(asset, of) {
      const [reserved, leaving] = await Promise.all([
        reservations.read(['firm', 'expected']),
        readLeaving(({ isCounted, id }) => of === undefined || (isCounted && id !== of)),
      ])
      const fees = await feeDuties(asset)
      const { balance } = await balanceOf(asset)
      const [orders, withdrawals] = [reserved.get(asset) ?? 0n, leaving.get(asset) ?? 0n]
      const left = balance - orders - withdrawals - fees
      return { balance, orders, withdrawals, fees, free: left > 0n ? left : 0n }
    },
    whileNotGranting: (asset, work) => grants.whileNotGranting(asset, work),
    async list() {
      const reserved = await readPromised()
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

function addUp(amounts: readonly (readonly [AssetId, bigint])[]): ReadonlyMap<AssetId, bigint> {
  const sums = new Map<AssetId, bigint>()
  for (const [asset, amount] of amounts) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return sums
}
