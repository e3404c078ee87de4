/** Sends an operator's own transaction outside of the engine, rebroadcasts it, and waits for its confirmations. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'

/** The timeout counts fee bump intervals. A transaction that is still unmined then needs an operator. */
const TIMEOUT_BUMPS = 30n

export type Goal = {
  readonly what: string
  isReached(): Promise<boolean>
  /** This is called until the goal is reached, and again after a reorg. */
  send(): Promise<void>
  readonly confirmations: number
}

export async function sendUntilConfirmed(
  chain: Chain,
  tip: () => Promise<Block>,
  goal: Goal,
  onProgress: (what: string) => void,
): Promise<void> {
  const deadline = performance.now() + Number(chain.feeBumpSeconds * TIMEOUT_BUMPS) * 1000
  let reachedAt: bigint | null = null
  let lastFailure = ''

  async function step(): Promise<boolean> {
    const { height } = await tip()
    if (!(await goal.isReached())) {
      if (reachedAt !== null) onProgress(`a reorg undid it: ${goal.what}`)
      reachedAt = null
      await goal.send()
      return false
    }
    if (reachedAt === null && goal.confirmations > 1) onProgress(`waiting for ${goal.confirmations} confirmations`)
    reachedAt ??= height
    return height - reachedAt + 1n >= BigInt(goal.confirmations)
  }

  for (;;) {
    try {
      if (await step()) return
    } catch (error) {
      if (!(error instanceof ChainFailure) || error.kind === 'would-fail') throw error
      lastFailure = `; the last failure: ${error.message}`
    }
    if (performance.now() > deadline)
      throw new ChainFailure('would-fail', `${goal.what}: timed out${lastFailure}. It is safe to run this again`)
    await sleep(chain.pollMs)
  }
}
