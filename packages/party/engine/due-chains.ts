/**
 * Selects the chains by whose clocks a pass of the reconciler searches for due orders: those that changed since the last pass. Each chain
 * costs eight index lookups, and most passes are for a change of one chain. What other processes record, and chains that are silent, are
 * searched at an interval.
 */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export interface DueChains {
  changed(chain: ChainId): void
  /** `pass` gets the chains to search by; without `chains` it searches by all. After a failed or unfinished pass, the next one gets all. */
  run<T extends { readonly more: boolean }>(pass: (due: { readonly chains?: readonly ChainId[] }) => Promise<T>): Promise<T>
}

export function createDueChains(allEveryMs: number, nowMs: () => number = () => performance.now()): DueChains {
  const changed = new Set<ChainId>()
  let allAtMs = Number.NEGATIVE_INFINITY
  return {
    changed: (chain) => void changed.add(chain),
    async run(pass) {
      const beganAtMs = nowMs()
      const isAll = beganAtMs - allAtMs >= allEveryMs
      const chains = [...changed]
      changed.clear()
      const before = allAtMs
      allAtMs = Number.NEGATIVE_INFINITY
      const done = await pass(isAll ? {} : { chains })
      if (!done.more) allAtMs = isAll ? beganAtMs : before
      return done
    },
  }
}
