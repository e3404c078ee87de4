/** Which unmined transaction of a signer holds which nonce, and which nonce is free. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Attempt, OtherAttempt } from '../port/outbox.ts'

/** A recorded transaction, parsed. */
export type Numbered = { readonly tx: string; readonly at: bigint; readonly nonce: bigint }

export type Holder<S> = {
  readonly signed: S
  /** Signed for this action. */
  readonly mine: boolean
  /** Otherwise it may be replaced: its action is not wanted any more, or nobody works on it. */
  readonly wanted: boolean
}

/** By nonce, in ascending order. */
export type Holders<S> = ReadonlyMap<bigint, Holder<S>>

/** A live action bumps its fee or signs again well before this many fee bump intervals. */
const ABANDONED_AFTER_BUMPS = 10n

export function nonceOf({ tx, nonce }: Attempt): bigint {
  if (nonce === undefined) throw new Error(`recorded transaction ${tx} has no nonce`)
  return nonce
}

/** From `count` (the next nonce to be mined) on. `abandoned`: hashes of transactions that keep no nonce. */
export function holdersOf<S extends Numbered>(
  read: (attempt: Attempt) => S,
  count: bigint,
  own: readonly Attempt[],
  others: readonly OtherAttempt[],
  abandoned: ReadonlySet<string> = new Set(),
): Holders<S> {
  const unmined = (attempt: Attempt) => nonceOf(attempt) >= count
  const all: (Holder<S> & Pick<Attempt, 'feeRate'>)[] = [
    ...others.filter(unmined).map((attempt) => ({
      signed: read(attempt),
      mine: false,
      wanted: attempt.wanted && !abandoned.has(attempt.tx),
      feeRate: attempt.feeRate,
    })),
    ...own.filter(unmined).map((attempt) => ({ signed: read(attempt), mine: true, wanted: true, feeRate: attempt.feeRate })),
  ]
  const holders = new Map<bigint, (typeof all)[number]>()
  for (const holder of all.sort((a, b) => Number(a.signed.nonce - b.signed.nonce))) {
    const { nonce } = holder.signed
    const known = holders.get(nonce)
    // Nodes keep the transaction with the highest fee at each nonce.
    if (known === undefined || holder.feeRate >= known.feeRate) holders.set(nonce, holder)
  }
  return holders
}

/** Another action's transaction is old enough for `findAbandoned` to check it. */
export function mayBeAbandoned({ feeBumpSeconds }: Chain, now: bigint, holders: Holders<Numbered>): boolean {
  return [...holders.values()].some(({ mine, wanted, signed }) => !mine && wanted && now - signed.at >= feeBumpSeconds)
}

/** No action rebroadcasts these any more, so they must not block all later transactions of the signer. `isKnown`: null where nodes do not show unmined transactions. */
export async function findAbandoned(
  isKnown: ((tx: string) => Promise<boolean>) | null,
  { feeBumpSeconds: bumpSeconds }: Chain,
  now: bigint,
  count: bigint,
  holders: Holders<Numbered>,
): Promise<ReadonlySet<string>> {
  async function isAbandoned({ tx, at, nonce }: Numbered): Promise<boolean> {
    const ageSeconds = now - at
    if (ageSeconds < bumpSeconds) return false
    // Only the next nonce gets fee bumps, so the age of a later one proves nothing.
    if (nonce === count && ageSeconds >= bumpSeconds * ABANDONED_AFTER_BUMPS) return true
    return isKnown !== null && !(await isKnown(tx))
  }

  const kept = [...holders.values()].filter((holder) => !holder.mine && holder.wanted).map(({ signed }) => signed)
  // In parallel: sequential requests would delay an urgent action.
  const abandoned = await Promise.all(kept.map(isAbandoned))
  return new Set(kept.filter((_, index) => abandoned[index]).map(({ tx }) => tx))
}

export function lowestFreeNonce(count: bigint, holders: Holders<Numbered>): bigint {
  let nonce = count
  while (holders.get(nonce)?.wanted === true) nonce += 1n
  return nonce
}
