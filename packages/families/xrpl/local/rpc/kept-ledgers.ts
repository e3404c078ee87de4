// Keeps the ledgers in the node's store: all, unless tests hide some. Nodes that were offline have such holes.
import type { History } from '../ledger/history.ts'

export interface KeptLedgers {
  has(index: number): boolean
  text(): string
  first(): number
  hide(from: number, to: number): void
  showAll(): void
}

export function createKeptLedgers(history: History): KeptLedgers {
  let hidden: readonly (readonly [from: number, to: number])[] = []
  const has = (index: number) => !hidden.some(([from, to]) => index >= from && index <= to)
  const rangeText = (from: number, to: number) => (from === to ? `${from}` : `${from}-${to}`)

  return {
    has,
    text() {
      const parts: string[] = []
      let from = 1
      for (const [gapFrom, gapTo] of hidden) {
        if (gapFrom > from) parts.push(rangeText(from, gapFrom - 1))
        from = gapTo + 1
      }
      const tip = history.tip().index
      if (from <= tip) parts.push(rangeText(from, tip))
      return parts.length === 0 ? 'empty' : parts.join(',')
    },
    first: () => (hidden.at(-1)?.[1] ?? 0) + 1,
    hide(from, to) {
      if (from > to || hidden.some(([otherFrom, otherTo]) => from <= otherTo && to >= otherFrom))
        throw new RangeError('hidden ledgers overlap')
      hidden = [...hidden, [from, to] as const].sort(([a], [b]) => a - b)
    },
    showAll() {
      hidden = []
    },
  }
}
