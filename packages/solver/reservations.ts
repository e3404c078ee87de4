/** Computes the inventory that orders reserve. An order is derived again only if it or a block changed, so many orders cost little. */
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { deleteInventoryMarks, keepInventoryMarks, readInventoryMarks } from '@tandem/party/store/solver/inventory-marks.ts'
import { deleteReservations } from '@tandem/party/store/solver/reservations.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { awaitsFill, playbook } from '@tandem/protocol/playbook.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, hasSignedInstantRefund, type OrderState } from '@tandem/protocol/state.ts'

/**
 * 'firm': inventory was granted to the order, or the solver owes it because it redeemed the source, so no other order gets this amount.
 * 'expected': the order has a mined deposit and the solver can still pay, but nothing is granted yet.
 */
export type ReservationKind = 'firm' | 'expected'

export interface Reservations {
  /** Returns sums by asset, from the current records. They are correct with several processes on one database. */
  read(kinds: readonly ReservationKind[]): Promise<ReadonlyMap<AssetId, bigint>>
  firm(asset: AssetId): Promise<ReadonlyMap<string, bigint>>
}

/** Without a new block or event, time can only end a reservation. Until it is derived again it lasts too long, never too short. */
const DERIVE_AGAIN_SECONDS = 30n
/** Used marks are deleted in batches, not with each read. */
const DELETE_MARKS_MS = 1000

const initiation = playbook.filter((rule) => rule.who === 'solver' && rule.verb === 'initiate')

export function reservationKind(state: OrderState, isGranted: boolean): ReservationKind | null {
  if (isOver(state)) return null
  // While a chain makes no blocks the solver does not pay, but it will when the chain is back: the amount must not be promised again.
  const isDue = initiation.some((rule) => rule.holds({ ...state, chainsAlive: true }))
  if (isDue && state.source.phase === 'redeemed') return 'firm'
  if (isDue || mayBecomeDue(state)) return isGranted ? 'firm' : 'expected'
  // A reorg removed the deposit, which is usually mined again. A payment for it may be unmined.
  return isGranted && state.source.deposits.length === 0 && state.now <= state.order.deadline ? 'firm' : null
}

/** The deposits are in blocks, in time, and wait for confirmations or for the solver's signature. */
export function mayBecomeDue(state: OrderState): boolean {
  const { source, destination } = state
  if (state.gapSeconds <= 0n || destination.counted.length > 0) return false
  return awaitsFill(state) || (source.phase === 'seen' && source.isComplete && state.fundedInTime)
}

/** The solver will never pay for the order, or has paid. */
function isOver(state: OrderState): boolean {
  return state.declined !== null || hasSignedInstantRefund(state) || isPaid(state)
}

function isPaid({ destination }: OrderState): boolean {
  return destination.counted.some((d) => d.block !== null)
}

/** The order reserves nothing until something new is recorded about it. Time alone cannot change that. */
function isReleased(state: OrderState): boolean {
  const { source } = state
  return (
    isPaid(state) ||
    hasSignedInstantRefund(state) ||
    (state.declined !== null && !state.isAgreed && source.deposits.every((d) => d.spend === null)) ||
    source.deposits.every((d) => d.spend?.kind === 'refunded' && d.spend.block !== null)
  )
}

type Known = {
  readonly version: string
  /** The newest blocks of the order's chains when it was derived. */
  readonly blocks: string
  readonly chains: readonly ChainId[]
  readonly at: bigint
  readonly reserves: { readonly kind: ReservationKind; readonly asset: AssetId; readonly amount: bigint } | null
}

export function createReservations(options: {
  readonly db: Database
  readonly registry: Registry
  readonly now: () => bigint
}): Reservations {
  const { db, registry } = options
  const served = registry.chains.map(({ id }) => id).filter((id) => registry.isServed(id))
  let known: ReadonlyMap<string, Known> = new Map()
  let marksAreKept = false
  let usedUp = new Set<string>()
  let deletedAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<ReadonlyMap<string, Known>> | null = null

  /** Updates run one after another. Callers that come while one runs share the next one, which begins after their calls. */
  function shareNext(): Promise<ReadonlyMap<string, Known>> {
    next ??= running.then(() => {
      next = null
      const current = update()
      running = current.catch(() => undefined)
      return current
    })
    return next
  }

  async function update(): Promise<ReadonlyMap<string, Known>> {
    if (!marksAreKept) await keepInventoryMarks(db)
    marksAreKept = true
    const now = options.now()
    const { marks: found, tips, granted } = await readInventoryMarks(db, served)
    const left = [...found].map(([orderId, ids]) => [orderId, ids.filter((id) => !usedUp.has(id))] as const)
    const marks = new Map(left.filter(([, ids]) => ids.length > 0))
    const versionOf = (orderId: string, ids: readonly string[]) => [...ids, granted.get(orderId) ?? ''].join()
    const blocksOf = (chains: readonly ChainId[]) => chains.map((chain) => tips.get(chain) ?? '').join()
    // Like time, a block alone can only end a reservation. One that was derived within this second is derived again in the next.
    const isCurrent = ({ blocks, chains, at, reserves }: Known) =>
      now - at < DERIVE_AGAIN_SECONDS && (blocks === blocksOf(chains) || (reserves !== null && at === now))
    const current = new Map<string, Known>()
    const changed: string[] = []
    for (const [orderId, ids] of marks) {
      const entry = known.get(orderId)
      if (entry !== undefined && entry.version === versionOf(orderId, ids) && isCurrent(entry)) current.set(orderId, entry)
      else changed.push(orderId)
    }
    const used = new Set<string>()
    const ended: string[] = []
    for (const snapshot of await findOrderSnapshots(db, changed)) {
      const { order, closed } = snapshot.stored
      const ids = marks.get(order.id) ?? []
      const state = isServed(registry, snapshot.stored) ? deriveOrder(factsOf(registry, snapshot, now)) : null
      const chains = [order.source.chain, order.destination.chain]
      const reserved = granted.get(order.id)
      const kind = state === null ? null : reservationKind(state, reserved !== undefined)
      // The reservation of a paid order stays: if a reorg undoes the payment, its amount is back in the balance, and owed.
      if (state !== null && kind === null && reserved !== undefined && !isPaid(state)) ended.push(order.id)
      if (closed || (state !== null && kind === null && isReleased(state))) continue
      const { asset, amount } = order.destination.terms
      const [newest] = ids.slice(-1)
      if (newest !== undefined) used.add(newest)
      current.set(order.id, {
        version: versionOf(order.id, ids.slice(-1)),
        blocks: blocksOf(chains),
        chains,
        at: now,
        reserves: kind === null ? null : { kind, asset, amount: reserved ?? amount },
      })
    }
    known = current
    await deleteReservations(db, ended)
    for (const id of changed.flatMap((orderId) => marks.get(orderId) ?? [])) if (!used.has(id)) usedUp.add(id)
    await deleteUsedUp()
    return current
  }

  async function deleteUsedUp(): Promise<void> {
    if (performance.now() - deletedAtMs < DELETE_MARKS_MS) return
    deletedAtMs = performance.now()
    const ids = [...usedUp]
    usedUp = new Set()
    await deleteInventoryMarks(db, ids)
  }

  return {
    read: async (kinds) => sumByAsset((await shareNext()).values(), kinds),
    async firm(asset) {
      const all = [...(await shareNext())]
      return new Map(
        all.flatMap(([orderId, { reserves }]) =>
          reserves !== null && reserves.kind === 'firm' && reserves.asset === asset ? [[orderId, reserves.amount] as const] : [],
        ),
      )
    },
  }
}

function sumByAsset(known: Iterable<Known>, kinds: readonly ReservationKind[]): ReadonlyMap<AssetId, bigint> {
  const sums = new Map<AssetId, bigint>()
  for (const { reserves } of known) {
    if (reserves !== null && kinds.includes(reserves.kind)) sums.set(reserves.asset, (sums.get(reserves.asset) ?? 0n) + reserves.amount)
  }
  return sums
}
