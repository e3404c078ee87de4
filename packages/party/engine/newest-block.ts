/** Reads the newest block for a poll. Only what money depends on needs a quorum: whether there is a new block is asked of one provider at a time. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { isQuorumDue } from './pace.ts'
import type { PollMemory } from './poll-memory.ts'

export type NewestBlock = {
  readonly tip: Block
  /** False: one provider alone says so. Good for finding nothing new, never for facts. */
  readonly isAgreed: boolean
}

export type Glimpsing = {
  /** Nobody waits for the facts of this poll. */
  readonly mayGlimpse: boolean
  /** What one provider sees decides that nothing more is read in this poll. */
  readonly isEnough: (seen: Block) => boolean
  readonly nowMs: number
}

export async function readNewest(
  client: ChainClient,
  memory: PollMemory,
  { mayGlimpse, isEnough, nowMs }: Glimpsing,
): Promise<NewestBlock> {
  const { agreed } = memory
  if (client.glimpse !== undefined && mayGlimpse && agreed !== null && !isQuorumDue(agreed, nowMs)) {
    memory.agreed = { ...agreed, glimpses: agreed.glimpses + 1 }
    const seen = await client.glimpse()
    // The known header, not what this provider says about it.
    if (seen.hash === agreed.tip.hash) return { tip: agreed.tip, isAgreed: false }
    if (isEnough(seen)) return { tip: seen, isAgreed: false }
  }
  const tip = await client.tip()
  memory.agreed = { tip, atMs: nowMs, glimpses: 0 }
  return { tip, isAgreed: true }
}
