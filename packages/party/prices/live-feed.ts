/** Serves the median of several price sources. A market halts while they are silent, outdated or apart, and a pair after a jump. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { MarketView, PriceFeed } from './feed.ts'
import type { PriceRules, Verdict } from './judge.ts'
import { createReadings } from './readings.ts'
import type { PriceSource, SourceAnswer } from './sources/source.ts'
import { createTimeline, type Snapshot } from './timeline.ts'

/** The backoff of a failing source, in poll intervals. */
const MAX_BACKOFF_POLLS = 4

export type LiveFeedOptions = {
  readonly markets: ReadonlyMap<AssetId, string>
  readonly fixed: ReadonlyMap<AssetId, UsdPrice>
  readonly sources: readonly PriceSource[]
  readonly rules: PriceRules & { readonly maxJumpBips: number }
  readonly pollMs: number
  /** Samples that an earlier process recorded, in ascending order. */
  readonly past: readonly Snapshot[]
  /** Unix milliseconds. */
  readonly now: () => number
  readonly onReadings: (markets: readonly MarketView[]) => void
}

const shown = ({ price, problem }: Verdict) => ({ price, problem })

/** A pair is halted for this long after a jump. */
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
      options.onReadings(view())
    }),
  )
  const startWait = new AbortController()
  await Promise.race([
    Promise.all(pollers.map(({ ready }) => ready)),
    sleep(START_WAIT_MS, undefined, { signal: startWait.signal, ref: false }).catch(() => undefined),
  ])
  startWait.abort()

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

/** Polls one source, with backoff after failures: an exchange may have a rate limit. */
interface Poller {
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
    const next = failed ? Math.min(waitMs * 2, pollMs * MAX_BACKOFF_POLLS) : pollMs
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
