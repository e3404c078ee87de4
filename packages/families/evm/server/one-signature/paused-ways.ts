/**
 * Remembers what did not keep its word. A relay that a token lets revert costs the service its gas: after a few of them the way is paused for
 * all of its users. A way that fails in a simulation costs nothing, and is not offered again to the account that tried it.
 */

import type { Address } from 'viem'
import type { SignatureWay } from '../../terms/one-signature.ts'
import type { EvmNode } from '../nodes/node.ts'

/** This many relays in a row may revert. */
export const MAX_REVERTS_IN_A_ROW = 3
const PAUSE_MS = 3_600_000
/** Older relays are forgotten: the limits for one initiator and one app count all of them. */
const MAX_FOLLOWED = 16
const MAX_REFUSED = 10_000

export interface PausedWays {
  /** A relay was sent. Its outcome is asked for before the next one. */
  follow(token: Address, way: SignatureWay, tx: string): void
  settle(token: Address, way: SignatureWay): Promise<void>
  isPaused(token: Address, way: SignatureWay): boolean
  /** The simulation of what this account signed has failed. */
  refuse(token: Address, way: SignatureWay, owner: string): void
  isRefused(token: Address, way: SignatureWay, owner: string): boolean
}

type Record = { followed: string[]; reverts: number; pausedUntil: number }

export function createPausedWays(node: Pick<EvmNode, 'outcome'>, now: () => number = () => performance.now()): PausedWays {
  const records = new Map<string, Record>()
  const refused = new Map<string, number>()
  const recordOf = (token: Address, way: SignatureWay): Record => {
    const key = `${way} ${token}`
    const record = records.get(key) ?? { followed: [], reverts: 0, pausedUntil: 0 }
    records.set(key, record)
    return record
  }

  return {
    follow(token, way, tx) {
      const record = recordOf(token, way)
      if (!record.followed.includes(tx)) record.followed = [...record.followed, tx].slice(-MAX_FOLLOWED)
    },
    async settle(token, way) {
      const record = recordOf(token, way)
      const asked = record.followed
      const outcomes = await Promise.all(asked.map((tx) => node.outcome(tx)))
      const done = new Set(asked.filter((_, index) => outcomes[index] !== null))
      const isNew = (tx: string) => record.followed.includes(tx)
      for (const [index, tx] of asked.entries()) {
        // Another request may have counted it meanwhile.
        if (!done.has(tx) || !isNew(tx)) continue
        record.reverts = outcomes[index] === 'reverted' ? record.reverts + 1 : 0
      }
      record.followed = record.followed.filter((tx) => !done.has(tx))
      if (record.reverts < MAX_REVERTS_IN_A_ROW) return
      record.reverts = 0
      record.pausedUntil = now() + PAUSE_MS
    },
    isPaused: (token, way) => now() < recordOf(token, way).pausedUntil,
    refuse(token, way, owner) {
      refused.set(`${way} ${token} ${owner}`, now() + PAUSE_MS)
      for (const oldest of refused.size > MAX_REFUSED ? [...refused.keys()].slice(0, 1) : []) refused.delete(oldest)
    },
    isRefused: (token, way, owner) => now() < (refused.get(`${way} ${token} ${owner}`) ?? 0),
  }
}
