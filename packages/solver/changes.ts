/** Answers long polls by which services learn of chains to poll. The answer is a hint: a service reads the chains itself. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export type ChangesSince = { readonly next: number; readonly chains: readonly ChainId[] }

export interface Changes {
  note(chain: ChainId): void
  /** Waits at most 20 s for a chain that is not in `except` to change. A number from another process counts as 0. */
  since(after: number, service: string, except?: readonly ChainId[]): Promise<ChangesSince>
  close(): void
}

const WAIT_MS = 20_000
/** The limit is per service, and above the number of its processes. Further requests are answered at once. */
const MAX_WAITING = 32

export function createChanges(waitMs = WAIT_MS): Changes {
  const numbers = new Map<ChainId, number>()
  const waiting = new Set<{ readonly service: string; readonly except: readonly ChainId[]; wake(): void }>()
  let last = 0
  let isClosed = false

  const answer = (after: number, except: readonly ChainId[]): ChangesSince => ({
    next: last,
    chains: [...numbers].filter(([chain, number]) => number > after && !except.includes(chain)).map(([chain]) => chain),
  })

  return {
    note(chain) {
      last += 1
      numbers.set(chain, last)
      for (const one of [...waiting]) if (!one.except.includes(chain)) one.wake()
    },
    async since(asked, service, except = []) {
      const after = asked > last ? 0 : asked
      const known = answer(after, except)
      const own = [...waiting].filter((one) => one.service === service).length
      if (known.chains.length > 0 || isClosed || own >= MAX_WAITING) return known
      await new Promise<void>((resolve) => {
        const timer = setTimeout(wake, waitMs)
        const one = { service, except, wake }
        function wake() {
          clearTimeout(timer)
          waiting.delete(one)
          resolve()
        }
        waiting.add(one)
      })
      return answer(after, except)
    },
    close() {
      isClosed = true
      for (const { wake } of [...waiting]) wake()
    },
  }
}
