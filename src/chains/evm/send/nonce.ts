/** Which unmined transaction of a signer holds which nonce, and which nonce is free. */
import type { Chain } from '../../../protocol/chain.ts'
import type { Attempt, Outbox } from '../../port/outbox.ts'
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

/** A live action bumps its fee or signs again well before this many fee bump intervals. */
const ABANDONED_AFTER_BUMPS = 10n

/** By nonce, in ascending order, from `count` (the next nonce to be mined) on. */
export async function findNonceHolders(node: EvmNode, chain: Chain, outbox: Outbox, count: bigint): Promise<Map<bigint, Holder>> {
  const { feeBumpSeconds: bumpSeconds } = chain
  const { hidesUnmined } = evmDataOf(chain)
  const unmined = (attempt: Attempt) => nonceOf(attempt) >= count

  /** No action rebroadcasts it any more, so it must not block all later transactions of the signer. */
  async function isAbandoned({ tx, at, nonce }: Signed): Promise<boolean> {
    const ageSeconds = outbox.now - at
    if (ageSeconds < bumpSeconds) return false
    // Only the next nonce gets fee bumps, so the age of a later one proves nothing.
    if (nonce === count && ageSeconds >= bumpSeconds * ABANDONED_AFTER_BUMPS) return true
    return !hidesUnmined && !(await node.isKnown(tx))
  }

  const all: Holder[] = [
    ...outbox.others.filter(unmined).map((attempt) => ({ signed: readAttempt(attempt), mine: false, wanted: attempt.wanted })),
    ...outbox.attempts.filter(unmined).map((attempt) => ({ signed: readAttempt(attempt), mine: true, wanted: true })),
  ]
  const holders = new Map<bigint, Holder>()
  for (const holder of all.sort((a, b) => Number(a.signed.nonce - b.signed.nonce))) {
    const { nonce, fees } = holder.signed
    const known = holders.get(nonce)
    // Of several transactions at one nonce, nodes keep the one with the highest fee.
    if (known === undefined || fees.maxFeePerGas >= known.signed.fees.maxFeePerGas) holders.set(nonce, holder)
  }
  // In parallel: sequential requests would delay an urgent action.
  await Promise.all(
    [...holders].map(async ([nonce, holder]) => {
      if (!holder.mine && holder.wanted && (await isAbandoned(holder.signed))) holders.set(nonce, { ...holder, wanted: false })
    }),
  )
  return holders
}

export function lowestFreeNonce(count: bigint, holders: ReadonlyMap<bigint, Holder>): bigint {
  let nonce = count
  while (holders.get(nonce)?.wanted === true) nonce += 1n
  return nonce
}
