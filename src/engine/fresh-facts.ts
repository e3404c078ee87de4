/** Facts age while an action prepares its transaction and waits for its key or a node. Old ones are read again before a signature is recorded. */

/** Facts older than this are read again before an action takes its key, and before it records what it signed. */
const FRESH_MS = 2_000

export interface FreshFacts {
  areFresh(): boolean
  /** Rejects when the action is no longer wanted as it was. */
  refresh(): Promise<void>
}

/**
 * `asOfMs`: of the facts that the action was prepared with. `recheck` rejects when they have changed so that the action must not be done, or in
 * another way; else it resolves to the moment of the new ones.
 */
export function createFreshFacts(asOfMs: number, recheck: () => Promise<number>): FreshFacts {
  let readAt = asOfMs
  return {
    areFresh: () => performance.now() - readAt < FRESH_MS,
    async refresh() {
      readAt = await recheck()
    },
  }
}
