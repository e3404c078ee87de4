/** Looks at the solver's coins for network fees every few seconds: what quotes, halts, status and metrics say of them. */
import type { Logger } from 'pino'
import { ChainFailure } from '../../chains/port/failure.ts'
import { createLoop } from '../../engine/loop.ts'
import type { ChainId } from '../../protocol/chain-id.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Database } from '../../store/database/database.ts'
import { readInFlight } from '../../store/solver/in-flight.ts'
import type { Trip } from './breakers.ts'
import { type FeeFunds, type FeeFundsReader, missing, REDEEMS_AHEAD, topUp } from './fee-funds.ts'
import { fromChain, toChain } from './scope.ts'

export interface FeeFundsWatch {
  /** The last look found too little for what is in flight, or there was none yet. */
  isShort(chain: ChainId): boolean
  /** Directions in which nothing new is taken. */
  trips(): readonly Trip[]
  list(): readonly FeeFunds[]
  refresh(): Promise<void>
  stop(): Promise<void>
}

const REFRESH_MS = 3000

/** Nothing new is taken from a chain while the next few redeems there could not be paid, nor to it while the next payment could not be besides. */
export function tripsOf(funds: FeeFunds): readonly Trip[] {
  const ahead = REDEEMS_AHEAD * funds.perRedeem
  const tripOf = (scope: string, more: bigint): readonly Trip[] =>
    missing(funds, more) === 0n ? [] : [{ scope, cause: 'fee funds', reason: topUp(funds, more) }]
  return [...tripOf(fromChain(funds.chain), ahead), ...tripOf(toChain(funds.chain), ahead + funds.perPayment)]
}

/** Of the chains that answer. */
export async function readFeeFunds(db: Database, reader: FeeFundsReader): Promise<readonly FeeFunds[]> {
  const flights = await readInFlight(db)
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
  readonly db: Database
  readonly reader: FeeFundsReader
  readonly log: Logger
  readonly refreshMs?: number
}): FeeFundsWatch {
  const { db, reader, log } = options
  /** A chain that does not answer keeps its last figures: a redeem there is not cheaper for it. */
  const known = new Map<ChainId, FeeFunds>()

  async function refresh(): Promise<void> {
    for (const funds of await readFeeFunds(db, reader)) known.set(funds.chain, funds)
  }

  const loop = createLoop({
    intervalMs: options.refreshMs ?? REFRESH_MS,
    async run() {
      await refresh()
      return false
    },
    onError: (error) => log.error({ err: error }, 'reading the coins for network fees failed'),
  })

  return {
    isShort(chain) {
      const funds = known.get(chain)
      return funds === undefined || missing(funds, 0n) > 0n
    },
    trips: () => [...known.values()].flatMap(tripsOf),
    list: () => [...known.values()],
    refresh,
    stop: () => loop.stop(),
  }
}
