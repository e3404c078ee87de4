/** Reports to the operator when prices appear and disappear: in the log at once, in the database once a minute. */
import type { Logger } from '@tandem/runtime/log.ts'
import type { Database } from '../store/database/database.ts'
import { recordPrices } from '../store/prices/price-records.ts'
import type { MarketView } from './feed.ts'

export interface PriceLog {
  note(markets: readonly MarketView[]): void
  stop(): Promise<void>
}

const RECORD_MS = 60_000

export function createPriceLog(db: Database, log: Pick<Logger, 'warn' | 'info'>, now: () => number): PriceLog {
  /** The last reported kind of problem, by market or by market and source. */
  const reported = new Map<string, string | null>()
  let recordedMinute = -1
  let writing: Promise<void> = Promise.resolve()

  /** Returns whether the kind of problem has changed. The figures in its text change all the time and do not count. */
  function hasChanged(about: string, problem: string | null): boolean {
    const kind = problem?.replace(/[0-9.]+/g, '#') ?? null
    const before = reported.get(about) ?? null
    reported.set(about, kind)
    return before !== kind
  }

  function report({ market, price, problem, readings }: MarketView): void {
    for (const reading of readings) {
      if (!hasChanged(`${market} ${reading.source}`, reading.problem)) continue
      if (reading.problem === null) log.info({ market, source: reading.source }, 'the price source works again')
      else log.warn({ market, source: reading.source, problem: reading.problem }, 'a price source does not count')
    }
    if (!hasChanged(market, problem)) return
    if (problem === null) log.info({ market, price }, 'there is a price again')
    else log.warn({ market, problem }, 'there is no price: no swap of this market starts')
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
      for (const market of markets) report(market)
      record(markets)
    },
    stop: () => writing,
  }
}
