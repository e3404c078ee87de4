/** What to make of a reorg that takes back blocks which the chain once called final. */
import type { ChainClient } from '../chains/family.ts'
import type { Block } from '../protocol/chain.ts'
import type { Database } from '../store/database.ts'
import { finalHeightOf } from '../store/events.ts'

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
const PATIENCE_LOOKS = 10
const PATIENCE_MS = 60_000

type Doubt = { readonly fork: string; readonly sinceMs: number; readonly said: bigint; looks: number }

/** Kept from look to look. `onFalseFinal`: a person should hear of it. */
export function createFinalGuard(onFalseFinal: (what: string) => void = () => undefined, nowMs = () => performance.now()): FinalGuard {
  let doubt: Doubt | null = null

  return {
    async judge(db, client, { ancestor, lowestGone }) {
      const recorded = await finalHeightOf(db, client.chain.id)
      if (recorded === null || recorded < lowestGone.height) return null
      const fork = `${ancestor.hash} ${lowestGone.hash}`
      if (doubt?.fork !== fork) {
        const said = (await client.finalHeight?.()) ?? 0n
        // Who calls the other branch final now contradicts itself, or the chain has broken its word: both are for a person.
        doubt = said < lowestGone.height ? { fork, said, sinceMs: nowMs(), looks: 0 } : null
      }
      if (doubt !== null) doubt.looks += 1
      const what = `${client.chain.id}: the node has replaced block ${ancestor.height + 1n}, and blocks up to ${recorded} were final`
      if (doubt === null)
        throw new Error(`${what}. Nothing is believed or started on it until it takes that back or an operator has looked.`)
      if (doubt.looks < PATIENCE_LOOKS || nowMs() - doubt.sinceMs < PATIENCE_MS)
        throw new Error(`${what}, which it does not say now. Nothing is believed or started on it until it was so for a while.`)
      const height = doubt.said < ancestor.height ? doubt.said : ancestor.height
      onFalseFinal(`${what}. It has not said so for a while, so that what was final above ${height} is taken for a mistake.`)
      doubt = null
      return height
    },
  }
}
