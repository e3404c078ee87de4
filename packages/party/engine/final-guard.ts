/** Decides whether to follow a reorg of blocks that the chain's finality tag once covered. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { finalHeightOf } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import { CONTRADICTED_FINALITY_MS, FALSE_FINALITY_MS } from './times.ts'

export type Fork = {
  readonly ancestor: Block
  /** The lowest remembered block that is not canonical any more. */
  readonly lowestGone: Block
}

export interface FinalGuard {
  /** Rejects while the fork is not accepted. Resolves to the height above which the tag was wrong; null if no final block goes. */
  judge(db: Database, client: ChainClient, fork: Fork): Promise<bigint | null>
}

/** The tag does not cover the replaced blocks any more: accept the fork after this many polls and this much time. */
const acceptAfter = { polls: 10, ms: FALSE_FINALITY_MS }
/** The tag covers the new branch: the guard waits longer, so that an operator can intervene. */
const acceptContradictionAfter = { polls: 30, ms: CONTRADICTED_FINALITY_MS }

type Doubt = { readonly fork: string; readonly sinceMs: number; readonly said: bigint; readonly contradicted: boolean; polls: number }

/** The guard must be kept between polls. `onFalseFinal` informs an operator. */
export function createFinalGuard(onFalseFinal: (what: string) => void = () => undefined, nowMs = () => performance.now()): FinalGuard {
  let doubt: Doubt | null = null

  return {
    async judge(db, client, { ancestor, lowestGone }) {
      const recorded = await finalHeightOf(db, client.chain.id)
      if (recorded === null || recorded < lowestGone.height) return null
      const fork = `${ancestor.hash} ${lowestGone.hash}`
      if (doubt?.fork !== fork || doubt.contradicted) {
        const said = (await client.finalHeight?.()) ?? 0n
        // A tag that covers the new branch contradicts itself.
        const contradicted = said >= lowestGone.height
        if (doubt?.fork !== fork || !contradicted) doubt = { fork, said, sinceMs: nowMs(), contradicted, polls: 0 }
      }
      doubt.polls += 1
      const { polls, ms } = doubt.contradicted ? acceptContradictionAfter : acceptAfter
      const what = `${client.chain.id}: the node has replaced block ${ancestor.height + 1n}, and blocks up to ${recorded} were final`
      const now = doubt.contradicted ? 'and now its finality tag covers other blocks' : 'which its finality tag does not cover now'
      if (doubt.polls < polls || nowMs() - doubt.sinceMs < ms)
        throw new Error(`${what}, ${now}. We ignore it and start nothing on this chain until it lasts for ${ms / 60_000} minutes.`)
      const height = doubt.said < ancestor.height ? doubt.said : ancestor.height
      onFalseFinal(`${what}, ${now}, for ${ms / 60_000} minutes: we follow it, and treat the finality above ${height} as wrong.`)
      doubt = null
      return height
    },
  }
}
