/** Tells services on which chains something has happened, by long polls. Only a hint: a service reads the chains itself. */
import type { ChainId } from '../protocol/chain-id.ts'

export type ChangesSince = { readonly next: number; readonly chains: readonly ChainId[] }

export interface Changes {
  note(chain: ChainId): void
  /** Chains with a change after number `after`; waits for one, at most 20 s. A number of another process counts as 0. */
  since(after: number): Promise<ChangesSince>
  /** Answers all who wait. */
  close(): void
}

const WAIT_MS = 20_000
/** More than there are services. Who comes then is answered at once. */
const MAX_WAITING = 100

export function createChanges(waitMs = WAIT_MS): Changes {
  const numbers = new Map<ChainId, number>()
  const waiting = new Set<() => void>()
  let last = 0
  let isClosed = false

  const answer = (after: number): ChangesSince => ({
    next: last,
    chains: [...numbers].filter(([, number]) => number > after).map(([chain]) => chain),
  })

  function wakeAll(): void {
    for (const wake of [...waiting]) wake()
  }

  return {
    note(chain) {
      last += 1
      numbers.set(chain, last)
      wakeAll()
    },
    async since(asked) {
      const after = asked > last ? 0 : asked
      if (after < last || isClosed || waiting.size >= MAX_WAITING) return answer(after)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(wake, waitMs)
        function wake() {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
      })
      return answer(after)
    },
    close() {
      isClosed = true
      wakeAll()
    },
  }
}
