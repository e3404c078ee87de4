/** Keeps the last answer of every source in memory, and derives the price of every market from them. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { ReadingView } from './feed.ts'
import { judgeReadings, type PriceRules, type Reading, staleness, type Verdict } from './judge.ts'
import type { PriceSource, SourceAnswer } from './sources/source.ts'

export interface Readings {
  note(source: PriceSource, answers: readonly SourceAnswer[]): void
  verdict(market: string): Verdict
  prices(): ReadonlyMap<string, UsdPrice>
  view(market: string): readonly ReadingView[]
}

/** Readings become outdated with time alone, so an older verdict is computed again. */
const MAX_VERDICT_AGE_MS = 250

type Entry = { reading: Reading | null; problem: string | null }

export function createReadings(
  markets: readonly string[],
  sources: readonly PriceSource[],
  rules: PriceRules,
  now: () => number,
): Readings {
  const byMarket = new Map(
    markets.map((market) => {
      const entries = sources
        .filter((source) => source.markets.includes(market))
        .map((source) => [source.name, { reading: null, problem: 'it has not answered yet' }] as [string, Entry])
      return [market, new Map<string, Entry>(entries)]
    }),
  )
  const verdicts = new Map<string, { readonly verdict: Verdict; readonly at: number }>()

  function verdict(market: string): Verdict {
    const known = verdicts.get(market)
    const at = now()
    if (known !== undefined && at - known.at < MAX_VERDICT_AGE_MS && at >= known.at) return known.verdict
    const entries = byMarket.get(market) ?? new Map<string, Entry>()
    const made: Verdict =
      entries.size === 0
        ? { price: null, range: null, problem: `no source lists ${market}` }
        : judgeReadings(
            [...entries.values()].flatMap(({ reading }) => reading ?? []),
            rules,
            at,
          )
    verdicts.set(market, { verdict: made, at })
    return made
  }

  return {
    note({ name, maxAgeMs }, answers) {
      for (const { market, ...answer } of answers) {
        const entry = byMarket.get(market)?.get(name)
        if (entry === undefined) continue
        verdicts.delete(market)
        entry.problem = answer.problem
        // After a failure the last price of the source still counts, until it is too old.
        if (answer.price !== null) entry.reading = { source: name, price: answer.price, at: answer.at, maxAgeMs }
      }
    },
    verdict,
    prices: () =>
      new Map(
        markets.flatMap((market) => {
          const { price } = verdict(market)
          return price === null ? [] : [[market, price] as const]
        }),
      ),
    view: (market) =>
      [...(byMarket.get(market) ?? [])].map(([source, { reading, problem }]) => ({
        source,
        price: reading?.price ?? null,
        ageSeconds: reading === null ? null : Math.max(0, Math.floor((now() - reading.at) / 1000)),
        problem: problem ?? (reading === null ? null : staleness(reading, now())),
      })),
  }
}
