/** Tells which unmined transaction of a signer holds which nonce, and which nonce is free. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '@tandem/protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Attempt, OtherAttempt } from '../port/outbox.ts'

export type Numbered = { readonly tx: string; readonly at: bigint; readonly nonce: bigint }

export type Holder<S> = {
  readonly signed: S
  readonly mine: boolean
  /** If false, the transaction may be replaced: its action is not wanted, or nobody works on it. */
  readonly wanted: boolean
}

export type Holders<S> = ReadonlyMap<bigint, Holder<S>>

/** A live action bumps its fee or signs again well before this many fee bump intervals. */
const ABANDONED_AFTER_BUMPS = 10n

export function nonceOf({ tx, nonce }: Attempt): bigint {
  if (nonce === undefined) throw new Error(`recorded transaction ${tx} has no nonce`)
  return nonce
}

/** Holders start at `count`, the next nonce to be mined. `abandoned` has the hashes of transactions that keep no nonce. */
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

/** True means that another action's transaction is old enough for `findAbandoned` to check it. */
export function mayBeAbandoned({ feeBumpSeconds }: Chain, now: bigint, holders: Holders<Numbered>): boolean {
  return [...holders.values()].some(({ mine, wanted, signed }) => !mine && wanted && now - signed.at >= feeBumpSeconds)
}

/** Transactions that no action rebroadcasts must not block later ones. `isKnown` is null where nodes hide unmined transactions. */
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
  // Sequential requests would delay an urgent action.
  const abandoned = await Promise.all(kept.map(isAbandoned))
  return new Set(kept.filter((_, index) => abandoned[index]).map(({ tx }) => tx))
}

export function lowestFreeNonce(count: bigint, holders: Holders<Numbered>): bigint {
  let nonce = count
  while (holders.get(nonce)?.wanted === true) nonce += 1n
  return nonce
}

/** Several actions of one signer broadcast at a time. The earlier nonce is usually on its way to the node. */
const GAP_RETRY_MS = [20, 50, 100, 200, 400]

/** Some nodes queue nothing: they refuse a transaction while they lack one with an earlier nonce. Then it is broadcast again. */
export async function pastNonceGap<V extends string>(broadcastOnce: () => Promise<V | 'nonce-gap'>): Promise<V> {
  for (const waitMs of GAP_RETRY_MS) {
    const verdict = await broadcastOnce()
    if (verdict !== 'nonce-gap') return verdict
    await sleep(waitMs)
  }
  const verdict = await broadcastOnce()
  if (verdict === 'nonce-gap') throw new ChainFailure('unreachable', 'the node lacks an earlier transaction of this account')
  return verdict
}
