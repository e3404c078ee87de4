/** Facts age while an action prepares its transaction and waits for its key. Old ones are read again before the signature. */

/** Facts older than this are read again before signing. */
const FRESH_MS = 2_000

export interface FreshFacts {
  areFresh(): boolean
  /** Rejects when the action is no longer wanted as it was. */
  refresh(): Promise<void>
}

/** The facts were read just now. `lookAgain` rejects when they have changed so that the action must not be done, or in another way. */
export function createFreshFacts(lookAgain: () => Promise<void>): FreshFacts {
  let readAt = performance.now()
  return {
    areFresh: () => performance.now() - readAt < FRESH_MS,
    async refresh() {
      const startedAt = performance.now()
      await lookAgain()
      readAt = startedAt
    },
  }
}
