/** Decides whether to follow a reorg of blocks that the chain's finality tag once covered. */
import type { ChainClient } from '../chains/port/client.ts'
import type { Block } from '../protocol/chain.ts'
import { finalHeightOf } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'

export type Fork = {
  /** The newest remembered block that both branches have. */
  readonly ancestor: Block
  /** The lowest remembered block that is not canonical any more. */
  readonly lowestGone: Block
}

export interface FinalGuard {
  /**
   * Rejects while the fork is not believed. Else the height above which the finality tag was wrong; null when the fork replaces no final
   * block.
   */
  judge(db: Database, client: ChainClient, fork: Fork): Promise<bigint | null>
}

/** A wrong finality tag is given up after so many looks at the same fork, over so long a time. */
const patience = { looks: 10, ms: 60_000 }
/** The same when the tag now covers the other branch: an operator has time to look. Standing still for ever would cost more than following. */
const longPatience = { looks: 30, ms: 600_000 }

type Doubt = { readonly fork: string; readonly sinceMs: number; readonly said: bigint; readonly contradicted: boolean; looks: number }

/** Kept between looks. `onFalseFinal` tells an operator. */
export function createFinalGuard(onFalseFinal: (what: string) => void = () => undefined, nowMs = () => performance.now()): FinalGuard {
  let doubt: Doubt | null = null

  return {
    async judge(db, client, { ancestor, lowestGone }) {
      const recorded = await finalHeightOf(db, client.chain.id)
      if (recorded === null || recorded < lowestGone.height) return null
      const fork = `${ancestor.hash} ${lowestGone.hash}`
      if (doubt?.fork !== fork || doubt.contradicted) {
        const said = (await client.finalHeight?.()) ?? 0n
        // A tag that covers the other branch now contradicts what it covered before.
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
