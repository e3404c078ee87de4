/** Reads the newest block for a poll. Only what money depends on needs a quorum: a single provider, each in rotation, says whether there is a new block. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { isQuorumDue } from './pace.ts'
import type { PollMemory } from './poll-memory.ts'

export type NewestBlock = {
  readonly tip: Block
  /** By quorum. Else a single provider says so: enough to find nothing new, never for facts. */
  readonly isAgreed: boolean
}

export type SingleRead = {
  /** No action awaits this poll, so a single provider may be asked. */
  readonly isAllowed: boolean
  /** If a single provider says so, nothing more is read in this poll. */
  readonly isEnough: (seen: Block) => boolean
  readonly nowMs: number
}

export async function readNewest(
  client: ChainClient,
  memory: PollMemory,
  { isAllowed, isEnough, nowMs }: SingleRead,
): Promise<NewestBlock> {
  const { agreed } = memory
  if (client.glimpse !== undefined && isAllowed && agreed !== null && !isQuorumDue(agreed, nowMs)) {
    memory.agreed = { ...agreed, singleReads: agreed.singleReads + 1 }
    const seen = await client.glimpse()
    // The known header, not what this provider says about it.
    if (seen.hash === agreed.tip.hash) return { tip: agreed.tip, isAgreed: false }
    if (isEnough(seen)) return { tip: seen, isAgreed: false }
  }
  const tip = await client.tip()
  memory.agreed = { tip, atMs: nowMs, singleReads: 0 }
  return { tip, isAgreed: true }
}
