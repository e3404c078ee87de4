/** Tells the operator when prices come and go: in the log at once, in the database once a minute. */
import type { Logger } from '@tandem/runtime/log.ts'
import type { Database } from '../store/database/database.ts'
import { recordPrices } from '../store/prices/price-records.ts'
import type { MarketView } from './feed.ts'

export interface PriceLog {
  note(markets: readonly MarketView[]): void
  /** Waits for a record that is being written. */
  stop(): Promise<void>
}

const RECORD_MS = 60_000

export function createPriceLog(db: Database, log: Pick<Logger, 'warn' | 'info'>, now: () => number): PriceLog {
  /** What was said last, by market or by market and source. */
  const said = new Map<string, string | null>()
  let recordedMinute = -1
  let writing: Promise<void> = Promise.resolve()

  /** True the first time, and when the kind of problem changes; figures in it change all the time. */
  function isNews(about: string, problem: string | null): boolean {
    const kind = problem?.replace(/[0-9.]+/g, '#') ?? null
    const before = said.get(about) ?? null
    said.set(about, kind)
    return before !== kind
  }

  function tell({ market, price, problem, readings }: MarketView): void {
    for (const reading of readings) {
      if (!isNews(`${market} ${reading.source}`, reading.problem)) continue
      if (reading.problem === null) log.info({ market, source: reading.source }, 'the source of prices works again')
      else log.warn({ market, source: reading.source, problem: reading.problem }, 'a source of prices does not count')
    }
    if (!isNews(market, problem)) return
    if (problem === null) log.info({ market, price }, 'there is a price again')
    else log.warn({ market, problem }, 'no price: no swap of this market starts')
  }

  function record(markets: readonly MarketView[]): void {
    const minute = Math.floor(now() / RECORD_MS)
    if (minute === recordedMinute) return
    recordedMinute = minute
    const rows = markets
      .filter(({ readings }) => readings.length > 0)
      .map(({ market, price, problem, readings }) => ({
        market,
        price,
        problem,
        readings: readings.map((reading) => ({
          source: reading.source,
          price: reading.price?.toString() ?? null,
          problem: reading.problem,
        })),
      }))
    if (rows.length === 0) return
    const at = now()
    writing = writing
      .then(() => recordPrices(db, at, rows))
      .catch((error: unknown) => log.warn({ err: error }, 'prices could not be recorded'))
  }

  return {
    note(markets) {
      for (const market of markets) tell(market)
      record(markets)
    },
    stop: () => writing,
  }
}
