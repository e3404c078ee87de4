/** Tells the time on which the SDK's decisions depend: the chain's, and our own clock where a node may have stopped. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { NodeError } from './node-error.ts'

/** A depth beyond this makes no difference to any caller. */
const MAX_DEPTH = 64n

/** The later of the chain's time and our own counts, because a node that stopped shows an old time. The unit is seconds. */
export function latestTime(chainTime: bigint): bigint {
  const ownTime = BigInt(Math.floor(Date.now() / 1000))
  return chainTime > ownTime ? chainTime : ownTime
}

/**
 * Finds the least depth of a block by the times of older blocks. Only blocks with a later time count, because several blocks may share one
 * time. We read no state of older blocks, because many nodes do not keep it.
 */
export async function depthOf(time: bigint, tip: bigint, timeAt: (height: bigint) => Promise<bigint>): Promise<number> {
  let [known, unknown] = [0n, tip < MAX_DEPTH ? tip : MAX_DEPTH]
  while (known < unknown) {
    const middle = (known + unknown + 1n) / 2n
    if ((await timeAt(tip - middle + 1n)) > time) known = middle
    else unknown = middle - 1n
  }
  return Number(known) + 1
}

/** Where timelocks count blocks or slots, a node that stopped shows more time left than there is. `tipTime` is in unix seconds. */
export function assertFreshTip(chain: Chain, tipTime: bigint): void {
  const age = BigInt(Math.floor(Date.now() / 1000)) - tipTime
  if (age > chain.haltSeconds)
    throw new NodeError(
      `the newest block of ${chain.id} is ${age} seconds old: the node or the chain has stopped. Wait, or name another node`,
    )
}
