/** Which unmined transaction of a signer holds which nonce, and which nonce is free. */
import type { Chain } from '../../../protocol/chain.ts'
import type { Attempt, OtherAttempt } from '../../port/outbox.ts'
import { evmDataOf } from '../chain-data.ts'
import type { EvmNode } from '../nodes/node.ts'
import { nonceOf, readAttempt, type Signed } from './transaction.ts'

export type Holder = {
  readonly signed: Signed
  /** Signed for this action. */
  readonly mine: boolean
  /** False: it may be replaced, because its action is no longer wanted or nobody works on it. */
  readonly wanted: boolean
}

/** By nonce, in ascending order. */
export type Holders = ReadonlyMap<bigint, Holder>

/** A live action bumps its fee or signs again well before this many fee bump intervals. */
const ABANDONED_AFTER_BUMPS = 10n

/** From `count` (the next nonce to be mined) on. `abandoned`: hashes of transactions that keep no nonce. */
export function holdersOf(
  count: bigint,
  own: readonly Attempt[],
  others: readonly OtherAttempt[],
  abandoned: ReadonlySet<string> = new Set(),
): Holders {
  const unmined = (attempt: Attempt) => nonceOf(attempt) >= count
  const all: Holder[] = [
    ...others
      .filter(unmined)
      .map((attempt) => ({ signed: readAttempt(attempt), mine: false, wanted: attempt.wanted && !abandoned.has(attempt.tx) })),
    ...own.filter(unmined).map((attempt) => ({ signed: readAttempt(attempt), mine: true, wanted: true })),
  ]
  const holders = new Map<bigint, Holder>()
  for (const holder of all.sort((a, b) => Number(a.signed.nonce - b.signed.nonce))) {
    const { nonce, fees } = holder.signed
    const known = holders.get(nonce)
    // Of several transactions at one nonce, nodes keep the one with the highest fee.
    if (known === undefined || fees.maxFeePerGas >= known.signed.fees.maxFeePerGas) holders.set(nonce, holder)
  }
  return holders
}

/** Another action's transaction is old enough for `findAbandoned` to look at it. */
export function mayBeAbandoned({ feeBumpSeconds }: Chain, now: bigint, holders: Holders): boolean {
  return [...holders.values()].some(({ mine, wanted, signed }) => !mine && wanted && now - signed.at >= feeBumpSeconds)
}

/** No action rebroadcasts these any more, so they must not block all later transactions of the signer. */
export async function findAbandoned(
  node: EvmNode,
  chain: Chain,
  now: bigint,
  count: bigint,
  holders: Holders,
): Promise<ReadonlySet<string>> {
  const { feeBumpSeconds: bumpSeconds } = chain
  const { hidesUnmined } = evmDataOf(chain)

  async function isAbandoned({ tx, at, nonce }: Signed): Promise<boolean> {
    const ageSeconds = now - at
    if (ageSeconds < bumpSeconds) return false
    // Only the next nonce gets fee bumps, so the age of a later one proves nothing.
    if (nonce === count && ageSeconds >= bumpSeconds * ABANDONED_AFTER_BUMPS) return true
    return !hidesUnmined && !(await node.isKnown(tx))
  }

  const kept = [...holders.values()].filter((holder) => !holder.mine && holder.wanted).map(({ signed }) => signed)
  // In parallel: sequential requests would delay an urgent action.
  const abandoned = await Promise.all(kept.map(isAbandoned))
  return new Set(kept.filter((_, index) => abandoned[index]).map(({ tx }) => tx))
}

export function lowestFreeNonce(count: bigint, holders: Holders): bigint {
  let nonce = count
  while (holders.get(nonce)?.wanted === true) nonce += 1n
  return nonce
}
