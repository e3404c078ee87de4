/**
 * By which chains' clocks a pass of the reconciler looks for due orders: those that changed since the last pass. Each chain costs eight looks into
 * indexes, and most passes are for the news of one chain. What other processes record, and chains that are silent, are seen at an interval.
 */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export interface DueChains {
  /** Something was recorded about this chain. */
  changed(chain: ChainId): void
  /** `pass` gets the chains to look at; absent: all. If it fails, or does not finish, the next one looks at all. */
  look<T extends { readonly more: boolean }>(pass: (due: { readonly chains?: readonly ChainId[] }) => Promise<T>): Promise<T>
}

export function createDueChains(allEveryMs: number, nowMs: () => number = () => performance.now()): DueChains {
  const changed = new Set<ChainId>()
  let lookedAtAllAtMs = Number.NEGATIVE_INFINITY
  return {
    changed: (chain) => void changed.add(chain),
    async look(pass) {
      const beganAtMs = nowMs()
      const isAll = beganAtMs - lookedAtAllAtMs >= allEveryMs
      const chains = [...changed]
      changed.clear()
      const before = lookedAtAllAtMs
      lookedAtAllAtMs = Number.NEGATIVE_INFINITY
      const done = await pass(isAll ? {} : { chains })
      if (!done.more) lookedAtAllAtMs = isAll ? beganAtMs : before
      return done
    },
  }
}
