/**
 * Chooses the deposits of a swap that count. An HTLC that is funded once has only one. Where anyone may send any amount, the service proposes which deposits
 * count, the solver checks them and signs, and the signed set never changes (`fill.ts`).
 */
import { isWithinTolerance } from './fill.ts'

export type Counting =
  | { readonly kind: 'exact' }
  /** Before a fill is proposed, a sum within tolerance of the agreed amount counts. */
  | { readonly kind: 'tolerant'; readonly toleranceBips: number }
  | { readonly kind: 'agreed'; readonly deposits: readonly string[] }

/** Each deposit makes the redeem larger. Many small ones could push its fee above the amount, or its size above the relay limit. */
export const MAX_COUNTED = 5

type Countable = { readonly id: string; readonly amount: bigint; readonly confirmations: bigint }

export function pickCounted<D extends Countable>(
  deposits: readonly D[],
  amount: bigint,
  { counting, requiredConfirmations }: { readonly counting: Counting; readonly requiredConfirmations: number },
): readonly D[] {
  if (counting.kind === 'agreed') return deposits.filter(({ id }) => counting.deposits.includes(id))
  if (counting.kind === 'exact') return pickExact(deposits, amount)
  const { toleranceBips } = counting
  const parts = deposits.filter((deposit) => isPart(deposit.amount, amount, toleranceBips))
  // Confirmed deposits count before unconfirmed ones, which may vanish.
  const confirmed = parts.filter((deposit) => deposit.confirmations >= BigInt(requiredConfirmations))
  const chosen = pickNearest(confirmed, amount, toleranceBips)
  return chosen.length > 0 ? chosen : pickNearest(parts, amount, toleranceBips)
}

/** A deposit smaller than the tolerance does not count: the sum is complete without it, and it may cost the redeem more than it adds. */
function isPart(deposit: bigint, amount: bigint, toleranceBips: number): boolean {
  return deposit * 10_000n > amount * BigInt(toleranceBips)
}

/**
 * Picks one deposit of exactly the amount, or the first deposits in sequence that add up to it exactly, whichever is complete first. Dust that a third party
 * sends before the exact deposit therefore does no harm. Once deposits count, a later one cannot take their place: both parties may have acted on them, and the
 * sender of the later one might still replace it.
 */
function pickExact<D extends Countable>(deposits: readonly D[], amount: bigint): readonly D[] {
  let sum = 0n
  for (const [index, deposit] of deposits.entries()) {
    sum += deposit.amount
    if (deposit.amount === amount) return [deposit]
    if (sum === amount && index < MAX_COUNTED) return deposits.slice(0, index + 1)
  }
  return []
}

/** Picks the single deposit, or the first deposits in sequence, whose sum is nearest to the amount. Among equals, those that are complete first win. */
function pickNearest<D extends Countable>(parts: readonly D[], amount: bigint, toleranceBips: number): readonly D[] {
  const candidates = parts.flatMap((part, index) => (index === 0 || index >= MAX_COUNTED ? [[part]] : [[part], parts.slice(0, index + 1)]))
  let best: { readonly deposits: readonly D[]; readonly miss: bigint } | null = null
  for (const deposits of candidates) {
    const sum = deposits.reduce((total, deposit) => total + deposit.amount, 0n)
    const miss = sum > amount ? sum - amount : amount - sum
    if (isWithinTolerance(sum, amount, toleranceBips) && (best === null || miss < best.miss)) best = { deposits, miss }
  }
  return best?.deposits ?? []
}
