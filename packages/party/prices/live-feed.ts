/** Live prices: the median of several sources, halted where they are silent, old or apart, or where a rate jumps. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { MarketView, PriceFeed } from './feed.ts'
import type { PriceRules, Verdict } from './judge.ts'
import { createReadings } from './readings.ts'
import type { PriceSource, SourceAnswer } from './sources/source.ts'
import { createTimeline, type Snapshot } from './timeline.ts'

const MAX_WAIT_POLLS = 4

export type LiveFeedOptions = {
  /** The market of each asset. */
  readonly markets: ReadonlyMap<AssetId, string>
  /** Assets whose price an operator fixed. */
  readonly fixed: ReadonlyMap<AssetId, UsdPrice>
  readonly sources: readonly PriceSource[]
  readonly rules: PriceRules & { readonly maxJumpBips: number }
  readonly pollMs: number
  /** Samples of an earlier process, ascending. */
  readonly past: readonly Snapshot[]
  /** Unix milliseconds. */
  readonly now: () => number
  /** After each answer of a source. */
  readonly onNews: (markets: readonly MarketView[]) => void
}

const shown = ({ price, problem }: Verdict) => ({ price, problem })

/** How long after a jump a pair is halted. */
const JUMP_WINDOW_MS = 300_000
const RETRY_AFTER_SECONDS = 10
const START_WAIT_MS = 5_000

/** Resolves when every source has answered once or failed, or after five seconds. */
export async function startLiveFeed(options: LiveFeedOptions): Promise<PriceFeed> {
  const { markets, fixed, sources, rules, pollMs, now } = options
  const live = new Map([...markets].filter(([asset]) => !fixed.has(asset)))
  const names = [...new Set(live.values())]
  const readings = createReadings(names, sources, rules, now)
  // A fixed price is a market that never moves, under the id of its asset.
  const fixedPrices = [...fixed] as readonly (readonly [string, UsdPrice])[]
  const timeline = createTimeline(options.past.map(({ at, prices }) => ({ at, prices: new Map([...prices, ...fixedPrices]) })))
  const marketOf = (asset: AssetId): string | null => (fixed.has(asset) ? asset : (live.get(asset) ?? null))

  function lookUp(asset: AssetId): Verdict {
    const price = fixed.get(asset)
    if (price !== undefined) return { price, range: { low: price, high: price }, problem: null }
    const market = live.get(asset)
    return market === undefined ? { price: null, range: null, problem: `there is no price for ${asset} here` } : readings.verdict(market)
  }

  function problemOf(asset: AssetId): string | null {
    const { problem } = lookUp(asset)
    return problem === null ? null : `the price of ${asset} is unknown: ${problem}`
  }

  /** Of two prices that are known. */
  function jumpOf(a: AssetId, b: AssetId): string | null {
    const [left, right] = [marketOf(a), marketOf(b)]
    if (left === null || right === null) return null
    const prices = new Map([[left, lookUp(a).price ?? 0n] as const, [right, lookUp(b).price ?? 0n] as const])
    const moved = timeline.moveBips({ at: now(), prices }, left, right, JUMP_WINDOW_MS)
    if (moved <= BigInt(rules.maxJumpBips)) return null
    return `the rate of ${a} to ${b} moved by ${moved} bips within ${JUMP_WINDOW_MS / 1000} s, and at most ${rules.maxJumpBips} are accepted`
  }

  const view = (): readonly MarketView[] => [
    ...names.map((market) => ({
      market,
      assets: [...live].filter(([, its]) => its === market).map(([asset]) => asset),
      ...shown(readings.verdict(market)),
      readings: readings.view(market),
    })),
    ...[...fixed].map(([asset, price]) => ({ market: asset, assets: [asset], price, problem: null, readings: [] })),
  ]

  const pollers = sources.map((source) =>
    startPoller(source, pollMs, (answers) => {
      readings.note(source, answers)
      timeline.note(now(), new Map([...readings.prices(), ...fixedPrices]))
      options.onNews(view())
    }),
  )
  const impatient = new AbortController()
  await Promise.race([
    Promise.all(pollers.map(({ ready }) => ready)),
    sleep(START_WAIT_MS, undefined, { signal: impatient.signal, ref: false }).catch(() => undefined),
  ])
  impatient.abort()

  return {
    find: (asset) => lookUp(asset).price,
    range: (asset) => lookUp(asset).range,
    of(asset) {
      const { price } = lookUp(asset)
      if (price !== null) return price
      if (marketOf(asset) === null) throw new TandemError('unsupported_pair', `there is no price for ${asset} here`)
      throw new TandemError('chain_unavailable', problemOf(asset) ?? '', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    },
    haltOf: (a, b) => problemOf(a) ?? problemOf(b) ?? jumpOf(a, b),
    volatilityBips(a, b, seconds) {
      const [left, right] = [marketOf(a), marketOf(b)]
      if (fixed.has(a) && fixed.has(b)) return 0
      return timeline.volatilityBips(left ?? a, right ?? b, seconds)
    },
    view,
    async stop() {
      await Promise.all(pollers.map((poller) => poller.stop()))
    },
  }
}

/** Reads one source again and again. After a failure it waits longer each time: an exchange may have set a limit. */
interface Poller {
  /** After its first answer. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

function startPoller(source: PriceSource, pollMs: number, onAnswers: (answers: readonly SourceAnswer[]) => void): Poller {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = poll(pollMs)
  const ready = running

  async function poll(waitMs: number): Promise<void> {
    const answers = await source.read()
    if (stopped) return
    onAnswers(answers)
    const failed = answers.length > 0 && answers.every(({ price }) => price === null)
    const next = failed ? Math.min(waitMs * 2, pollMs * MAX_WAIT_POLLS) : pollMs
    timer = setTimeout(() => {
      running = poll(next)
    }, next).unref()
  }

  return {
    ready,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
