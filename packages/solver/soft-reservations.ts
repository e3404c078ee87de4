/** What open quotes and unfunded orders would need, in memory. Soft: it expires, others with a deposit come first, and it never takes all that is free. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Customer } from './risk/customers.ts'

export type SoftReservation = {
  /** The same key again replaces it. */
  readonly key: string
  /** Whose it is, in one or more ways. */
  readonly holders: readonly string[]
  readonly asset: AssetId
  readonly amount: bigint
  /** Unix seconds. */
  readonly expiresAt: bigint
}

export interface SoftReservations {
  hold(reservation: SoftReservation): void
  /** It is firm now. */
  release(key: string): void
  /** What is held for this holder. */
  heldBy(asset: AssetId, holder: string): bigint
  /**
   * What is held for others of this free amount: at most half of it, so that quotes alone cannot use up the inventory. `own`: holders that have nothing
   * in common; what is theirs does not count.
   */
  heldByOthers(asset: AssetId, own: readonly string[], free: bigint): bigint
}

/** Bounds the memory and the work that strangers can cause. The oldest go first. */
const MOST_HELD = 10_000
const MOST_SHARE = 2n

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

  /** Once a second at most: it goes through all. */
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
      if (held.size > MOST_HELD && oldest !== undefined) drop(oldest)
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
      return others * MOST_SHARE < free ? others : free / MOST_SHARE
    },
  }
}

/** The quotes of an app are held for all its users: whose order it will be is not known yet. */
export function holdersOfQuote({ app }: Customer): readonly string[] {
  return [`quotes ${app}`]
}

/** Orders that name no owner have none in common. */
export function holdersOfOrder({ app, owner }: Customer): readonly string[] {
  return owner === null ? [`orders ${app}`] : [`orders ${app}`, ordersOf({ app, owner })]
}

const ordersOf = ({ app, owner }: Customer) => `orders ${app} ${owner}`

/**
 * What the unfunded orders of this owner would take. It makes its next order dearer, and without a price that holds, but never refused: anyone can make orders
 * in its name.
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
