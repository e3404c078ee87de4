/** Holds inventory for open quotes and unfunded orders: for a time, never all of it, and never against orders with a deposit. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Customer } from './risk/customers.ts'

export type SoftReservation = {
  /** A new reservation with the same key replaces it. */
  readonly key: string
  readonly holders: readonly string[]
  readonly asset: AssetId
  readonly amount: bigint
  /** Unix seconds. */
  readonly expiresAt: bigint
}

export interface SoftReservations {
  hold(reservation: SoftReservation): void
  /** The reservation ends because it is firm now. */
  release(key: string): void
  heldBy(asset: AssetId, holder: string): bigint
  /**
   * Returns what is held for others of this free amount: at most half of it, so that quotes alone cannot use up the inventory. The
   * reservations of the holders in `own` do not count; these holders must not share any.
   */
  heldByOthers(asset: AssetId, own: readonly string[], free: bigint): bigint
}

/** The limit bounds the memory and the work that strangers can cause. The oldest are evicted first. */
const MAX_HELD = 10_000
const FREE_SHARE_DIVISOR = 2n

export function createSoftReservations(now: () => bigint): SoftReservations {
  const held = new Map<string, SoftReservation>()
  const sums = new Map<string, bigint>()
  let prunedAt = 0n

  const add = ({ asset, holders, amount }: SoftReservation, sign: bigint) => {
    for (const key of [asset, ...holders.map((holder) => `${asset} ${holder}`)]) {
      const sum = (sums.get(key) ?? 0n) + sign * amount
      if (sum === 0n) sums.delete(key)
      else sums.set(key, sum)
    }
  }
  const drop = (reservation: SoftReservation) => {
    held.delete(reservation.key)
    add(reservation, -1n)
  }

  /** Runs at most once a second, because it visits all. */
  function prune(): void {
    if (prunedAt === now()) return
    prunedAt = now()
    for (const reservation of held.values()) if (reservation.expiresAt < prunedAt) drop(reservation)
  }

  return {
    hold(reservation) {
      const before = held.get(reservation.key)
      if (before !== undefined) drop(before)
      held.set(reservation.key, reservation)
      add(reservation, 1n)
      const [oldest] = held.values()
      if (held.size > MAX_HELD && oldest !== undefined) drop(oldest)
    },
    release(key) {
      const reservation = held.get(key)
      if (reservation !== undefined) drop(reservation)
    },
    heldBy(asset, holder) {
      prune()
      return sums.get(`${asset} ${holder}`) ?? 0n
    },
    heldByOthers(asset, own, free) {
      prune()
      const others = own.reduce((sum, holder) => sum - (sums.get(`${asset} ${holder}`) ?? 0n), sums.get(asset) ?? 0n)
      return others * FREE_SHARE_DIVISOR < free ? others : free / FREE_SHARE_DIVISOR
    },
  }
}

/** The quotes of an app are held for all its users: the owner of the order is not known yet. */
export function holdersOfQuote({ app }: Customer): readonly string[] {
  return [`quotes ${app}`]
}

/** Orders that name no owner do not share one. */
export function holdersOfOrder({ app, owner }: Customer): readonly string[] {
  return owner === null ? [`orders ${app}`] : [`orders ${app}`, ordersOf({ app, owner })]
}

const ordersOf = ({ app, owner }: Customer) => `orders ${app} ${owner}`

/**
 * Returns what the unfunded orders of this owner would take. Because of it the next order costs more, or gets no firm price. The order is
 * never refused for it, because anyone can make orders in the owner's name.
 */
export function promisedTo(soft: Pick<SoftReservations, 'heldBy'>, asset: AssetId, customer: Customer): bigint {
  return customer.owner === null ? 0n : soft.heldBy(asset, ordersOf(customer))
}

/** A new quote may use what the app's quotes and orders hold: its user may have changed the amount. */
export function ownOfQuote({ app }: Customer): readonly string[] {
  return [`quotes ${app}`, `orders ${app}`]
}

/** An order may not use what other owners' orders hold. */
export function ownOfOrder({ app, owner }: Customer): readonly string[] {
  return owner === null ? [`quotes ${app}`] : [`quotes ${app}`, ordersOf({ app, owner })]
}
