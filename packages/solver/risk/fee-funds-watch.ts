/** Checks the solver's coins for network fees every few seconds, for quotes, halts, status and metrics. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { repeat } from '@tandem/party/engine/loop.ts'
import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from 'pino'
import type { Trip } from './breakers.ts'
import { type FeeFunds, type FeeFundsReader, missing, REDEEMS_AHEAD, topUp } from './fee-funds.ts'
import { fromChain, toChain } from './scope.ts'

/** A direct `read` updates what the watch knows. */
export interface FeeFundsWatch extends FeeFundsReader {
  /** The last check found too few coins for what is in flight, or there was no check yet. */
  isShort(chain: ChainId): boolean
  trips(): readonly Trip[]
  list(): readonly FeeFunds[]
  refresh(): Promise<void>
  stop(): Promise<void>
}

/** The interval for a chain with orders in flight, or with too few coins. */
const REFRESH_MS = 3_000
/** Any other chain has an interval that is this many times longer: the check before a payment reads it anyway. */
const IDLE_FACTOR = 10

/** Nothing new is taken from a chain whose coins do not cover a few more redeems, nor to one where they do not cover a payment too. */
export function tripsOf(funds: FeeFunds): readonly Trip[] {
  const ahead = REDEEMS_AHEAD * funds.perRedeem
  const tripOf = (scope: string, more: bigint): readonly Trip[] =>
    missing(funds, more) === 0n ? [] : [{ scope, cause: 'fee funds', reason: topUp(funds, more) }]
  return [...tripOf(fromChain(funds.chain), ahead), ...tripOf(toChain(funds.chain), ahead + funds.perPayment)]
}

/** Chains that do not answer are omitted. */
export async function readFeeFunds(
  reader: Pick<FeeFundsReader, 'chains' | 'read'>,
  flights: readonly InFlight[],
): Promise<readonly FeeFunds[]> {
  const found = await Promise.all(
    reader.chains.map((chain) =>
      reader.read(chain, flights).catch((error: unknown) => {
        if (error instanceof ChainFailure || error instanceof TandemError) return null
        throw error
      }),
    ),
  )
  return found.filter((funds) => funds !== null)
}

export function startFeeFundsWatch(options: {
  readonly readInFlight: () => Promise<readonly InFlight[]>
  readonly reader: FeeFundsReader
  readonly log: Logger
  readonly refreshMs?: number
  readonly nowMs?: () => number
}): FeeFundsWatch {
  const { readInFlight, reader, log, refreshMs = REFRESH_MS, nowMs = () => performance.now() } = options
  /** A chain that does not answer keeps its last figures: its redeems do not get cheaper. */
  const known = new Map<ChainId, { readonly funds: FeeFunds; readonly atMs: number }>()
  const list = () => [...known.values()].map(({ funds }) => funds)

  async function read(chain: ChainId, flights: readonly InFlight[]): Promise<FeeFunds | null> {
    const funds = await reader.read(chain, flights)
    if (funds !== null) known.set(chain, { funds, atMs: nowMs() })
    return funds
  }

  function isDue(chain: ChainId, flights: readonly InFlight[]): boolean {
    const last = known.get(chain)
    if (last === undefined) return true
    const isBusy = flights.some(({ source, destination }) => source.chain === chain || destination.chain === chain)
    const keepMs = isBusy || tripsOf(last.funds).length > 0 ? refreshMs : IDLE_FACTOR * refreshMs
    return nowMs() - last.atMs >= keepMs
  }

  async function refresh(): Promise<void> {
    const flights = await readInFlight()
    await readFeeFunds({ chains: reader.chains.filter((chain) => isDue(chain, flights)), read }, flights)
  }

  const loop = repeat(refreshMs, refresh, (error) =>
    log.error({ err: error }, 'the coins for network fees cannot be read: the last figures are used'),
  )

  return {
    chains: reader.chains,
    duties: reader.duties,
    read,
    isShort(chain) {
      const last = known.get(chain)
      return last === undefined || missing(last.funds, 0n) > 0n
    },
    trips: () => list().flatMap(tripsOf),
    list,
    refresh,
    stop: () => loop.stop(),
  }
}
