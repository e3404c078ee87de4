/** Reads the newest block for a poll. One provider in rotation says whether there is a new block; facts for money need a quorum. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { isQuorumDue } from './pace.ts'
import type { PollMemory } from './poll-memory.ts'

export type NewestBlock = {
  readonly tip: Block
  /** True if a quorum agrees. The word of a single provider is enough to find nothing new, never for facts. */
  readonly isAgreed: boolean
}

export type SingleRead = {
  /** True if no action awaits this poll, so that a single provider may be asked. */
  readonly isAllowed: boolean
  /** If the block of a single provider is enough, this poll reads nothing more. */
  readonly isEnough: (seen: Block) => boolean
  readonly nowMs: number
}

export async function readNewest(
  client: ChainClient,
  memory: PollMemory,
  { isAllowed, isEnough, nowMs }: SingleRead,
): Promise<NewestBlock> {
  const { agreed } = memory
  if (client.tipHint !== undefined && isAllowed && agreed !== null && !isQuorumDue(agreed, nowMs)) {
    memory.agreed = { ...agreed, singleReads: agreed.singleReads + 1 }
    const seen = await client.tipHint()
    // Return the agreed header, not the one of this provider.
    if (seen.hash === agreed.tip.hash) return { tip: agreed.tip, isAgreed: false }
    if (isEnough(seen)) return { tip: seen, isAgreed: false }
  }
  const tip = await client.tip()
  memory.agreed = { tip, atMs: nowMs, singleReads: 0 }
  return { tip, isAgreed: true }
}
