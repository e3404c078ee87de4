/** Remembers accounts that did not keep their word in a simulation, so that a new order offers them something else. */

const REFUSED_MS = 3_600_000
const MAX_REFUSED = 10_000

export interface RefusedAccounts {
  refuse(account: string): void
  isRefused(account: string): boolean
}

export function createRefusedAccounts(now: () => number = () => performance.now()): RefusedAccounts {
  const until = new Map<string, number>()
  return {
    refuse(account) {
      // The newest is last, so that the oldest is evicted.
      until.delete(account)
      until.set(account, now() + REFUSED_MS)
      const [oldest] = until.keys()
      if (until.size > MAX_REFUSED && oldest !== undefined) until.delete(oldest)
    },
    isRefused: (account) => now() < (until.get(account) ?? 0),
  }
}
