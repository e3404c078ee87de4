/** What to make of a reorg that takes back blocks which the chain once called final. */
import type { ChainClient } from '../chains/port/client.ts'
import type { Block } from '../protocol/chain.ts'
import { finalHeightOf } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'

export type Fork = {
  /** The newest block that both histories have, as far as we know. */
  readonly ancestor: Block
  /** The lowest block we know that is gone. */
  readonly lowestGone: Block
}

export interface FinalGuard {
  /**
   * Rejects while the fork is not believed. Else the height above which nothing counts as final any more, because it was never so; null when
   * the fork takes nothing final back.
   */
  judge(db: Database, client: ChainClient, fork: Fork): Promise<bigint | null>
}

/** A mistake about what is final, or a lie, is given up after so many looks at the same fork, over so long a time. */
const patience = { looks: 10, ms: 60_000 }
/** The same when the other branch is called final by now: a person has time to look. To stand still for ever would cost more than to follow. */
const longPatience = { looks: 30, ms: 600_000 }

type Doubt = { readonly fork: string; readonly sinceMs: number; readonly said: bigint; readonly contradicted: boolean; looks: number }

/** Kept from look to look. `onFalseFinal`: a person should hear of it. */
export function createFinalGuard(onFalseFinal: (what: string) => void = () => undefined, nowMs = () => performance.now()): FinalGuard {
  let doubt: Doubt | null = null

  return {
    async judge(db, client, { ancestor, lowestGone }) {
      const recorded = await finalHeightOf(db, client.chain.id)
      if (recorded === null || recorded < lowestGone.height) return null
      const fork = `${ancestor.hash} ${lowestGone.hash}`
      if (doubt?.fork !== fork || doubt.contradicted) {
        const said = (await client.finalHeight?.()) ?? 0n
        // Who calls the other branch final now contradicts itself, or the chain has broken its word.
        const contradicted = said >= lowestGone.height
        if (doubt?.fork !== fork || !contradicted) doubt = { fork, said, sinceMs: nowMs(), contradicted, looks: 0 }
      }
      doubt.looks += 1
      const { looks, ms } = doubt.contradicted ? longPatience : patience
      const what = `${client.chain.id}: the node has replaced block ${ancestor.height + 1n}, and blocks up to ${recorded} were final`
      const now = doubt.contradicted ? 'and now calls others final' : 'which it does not say now'
      if (doubt.looks < looks || nowMs() - doubt.sinceMs < ms)
        throw new Error(`${what}, ${now}. Nothing is believed or started on it until it was so for ${ms / 60_000} minutes.`)
      const height = doubt.said < ancestor.height ? doubt.said : ancestor.height
      onFalseFinal(`${what}, ${now}, for ${ms / 60_000} minutes: what was final above ${height} is taken for a mistake.`)
      doubt = null
      return height
    },
  }
}
