/**
 * Remembers what did not keep its word. A relay that a token lets revert costs the service its gas: after those of a few accounts the way is
 * paused for all of its users. Accounts are free to make, and can make their own relays revert. So nothing is paused within an hour of a relay that
 * worked: the token keeps its word then. A way that fails in a simulation costs nothing, and is not offered again to the account that tried it.
 */

import type { Address } from 'viem'
import type { SignatureWay } from '../../terms/one-signature.ts'
import type { EvmNode } from '../nodes/node.ts'

/** The relays of this many accounts may revert, while none works. */
export const MAX_REVERTED_ACCOUNTS = 3
const PAUSE_MS = 3_600_000
/** Older relays are forgotten: the limits for one initiator and one app count all of them. */
const MAX_FOLLOWED = 16
const MAX_REFUSED = 10_000

export type FollowedRelay = {
  readonly tx: string
  readonly owner: string
  /** Anybody may relay first what was signed. Then ours reverts, and the token has kept its word. */
  isInitiated(): Promise<boolean>
}

export interface PausedWays {
  /** A relay was sent. Its outcome is asked for before the next one. */
  follow(token: Address, way: SignatureWay, relay: FollowedRelay): void
  settle(token: Address, way: SignatureWay): Promise<void>
  isPaused(token: Address, way: SignatureWay): boolean
  /** The simulation of what this account signed has failed. */
  refuse(token: Address, way: SignatureWay, owner: string): void
  isRefused(token: Address, way: SignatureWay, owner: string): boolean
}

/** Each account that reverted is there with the time until which that counts. */
type Record = { followed: FollowedRelay[]; readonly reverted: Map<string, number>; workedUntil: number; pausedUntil: number }

export function createPausedWays(node: Pick<EvmNode, 'outcome'>, now: () => number = () => performance.now()): PausedWays {
  const records = new Map<string, Record>()
  const refused = new Map<string, number>()
  const recordOf = (token: Address, way: SignatureWay): Record => {
    const key = `${way} ${token}`
    const record = records.get(key) ?? { followed: [], reverted: new Map(), workedUntil: 0, pausedUntil: 0 }
    records.set(key, record)
    return record
  }

  return {
    follow(token, way, relay) {
      const record = recordOf(token, way)
      if (!record.followed.some(({ tx }) => tx === relay.tx)) record.followed = [...record.followed, relay].slice(-MAX_FOLLOWED)
    },
    async settle(token, way) {
      const record = recordOf(token, way)
      const asked = record.followed
      const outcomes = await Promise.all(
        asked.map(async ({ tx, isInitiated }) => {
          const outcome = await node.outcome(tx)
          return outcome === 'reverted' && (await isInitiated()) ? 'success' : outcome
        }),
      )
      const done = new Set(asked.filter((_, index) => outcomes[index] !== null))
      for (const [index, relay] of asked.entries()) {
        // Another request may have counted it meanwhile.
        if (!done.has(relay) || !record.followed.includes(relay)) continue
        if (outcomes[index] === 'reverted') record.reverted.set(relay.owner, now() + PAUSE_MS)
        else record.workedUntil = now() + PAUSE_MS
      }
      for (const [owner, until] of record.reverted) if (now() >= until) record.reverted.delete(owner)
      record.followed = record.followed.filter((relay) => !done.has(relay))
      if (record.reverted.size < MAX_REVERTED_ACCOUNTS || now() < record.workedUntil) return
      record.reverted.clear()
      record.pausedUntil = now() + PAUSE_MS
    },
    isPaused: (token, way) => now() < recordOf(token, way).pausedUntil,
    refuse(token, way, owner) {
      refused.set(`${way} ${token} ${owner}`, now() + PAUSE_MS)
      const [oldest] = refused.keys()
      if (refused.size > MAX_REFUSED && oldest !== undefined) refused.delete(oldest)
    },
    isRefused: (token, way, owner) => now() < (refused.get(`${way} ${token} ${owner}`) ?? 0),
  }
}
