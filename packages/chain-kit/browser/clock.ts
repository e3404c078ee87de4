/** Time as the SDK counts it when a decision depends on it: by the chain, and by our own clock where a node may stand still. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { NodeError } from './node-error.ts'

/** The depth is found by the times of older blocks; that it is deeper than this needs no knowing. */
const DEEPEST = 64n

/** The later of the chain's time and our own: a node that stands still shows an old time. Unix seconds. */
export function latestTime(chainTime: bigint): bigint {
  const ownTime = BigInt(Math.floor(Date.now() / 1000))
  return chainTime > ownTime ? chainTime : ownTime
}

/**
 * How deep a block of this time is, at least. Only blocks with a later time count above it: several may share one. State of older blocks is not asked
 * for, because many nodes do not have it.
 */
export async function depthOf(time: bigint, tip: bigint, timeAt: (height: bigint) => Promise<bigint>): Promise<number> {
  let [known, unknown] = [0n, tip < DEEPEST ? tip : DEEPEST]
  while (known < unknown) {
    const middle = (known + unknown + 1n) / 2n
    if ((await timeAt(tip - middle + 1n)) > time) known = middle
    else unknown = middle - 1n
  }
  return Number(known) + 1
}

/** Where timelocks count blocks or slots, a node that stands still shows more time than there is. `tipTime`: unix seconds of its newest block. */
export function assertFreshTip(chain: Chain, tipTime: bigint): void {
  const age = BigInt(Math.floor(Date.now() / 1000)) - tipTime
  if (age > chain.haltSeconds)
    throw new NodeError(
      `the newest block of ${chain.id} is ${age} seconds old: the node stands still, or the chain does. Wait, or name another node`,
    )
}
