/** What open quotes and unfunded orders would need, in memory. Soft: it expires, others with a deposit come first, and it never takes all that is free. */
import type { AssetId } from '../protocol/asset.ts'

export type SoftReservation = {
  /** The same key again replaces it. */
  readonly key: string
  /** It does not count against its own holder, who may ask again with another amount. */
  readonly holder: string
  readonly asset: AssetId
  readonly amount: bigint
  /** Unix seconds. */
  readonly expiresAt: bigint
}

export interface SoftReservations {
  hold(reservation: SoftReservation): void
  /** What is held for others of this free amount: at most half of it, so that quotes alone cannot use up the inventory. */
  heldByOthers(asset: AssetId, holder: string, free: bigint): bigint
}

/** Bounds the memory and the work that strangers can cause. The oldest go first. */
const MOST_HELD = 10_000
const MOST_SHARE = 2n

export function createSoftReservations(now: () => bigint): SoftReservations {
  const held = new Map<string, SoftReservation>()
  const sums = new Map<string, bigint>()
  let prunedAt = 0n

  const add = ({ asset, holder, amount }: SoftReservation, sign: bigint) => {
    for (const key of [asset, `${asset} ${holder}`]) {
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
    heldByOthers(asset, holder, free) {
      prune()
      const others = (sums.get(asset) ?? 0n) - (sums.get(`${asset} ${holder}`) ?? 0n)
      return others * MOST_SHARE < free ? others : free / MOST_SHARE
    },
  }
}
