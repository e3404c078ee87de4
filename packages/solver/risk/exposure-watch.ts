/** Reads every few seconds what is at risk, for quotes and metrics. Payments read it again. */

import { repeat } from '@tandem/party/engine/loop.ts'
import { readTips } from '@tandem/party/store/chain/events.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { type InFlight, readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { divideRoundingUp, formatUsd } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Tip } from '@tandem/protocol/swap-state.ts'
import type { Logger } from 'pino'
import { unfinalOn, unrevealed } from './exposure.ts'

/** In millionths of a dollar. */
export type Unfinal = { readonly chain: ChainId; readonly usdMicros: bigint; readonly cap: bigint | null }

export interface ExposureWatch {
  /** Throws `amount_out_of_range` if this additional amount from the chain would exceed its limit. */
  assertBelowUnfinalCap(chain: ChainId, usdMicros: bigint): void
  unfinal(): readonly Unfinal[]
  /** Returns the payments that wait for client-held secrets, in percent of their limit. */
  unrevealedPercent(): bigint
  /** The amount is in millionths of a dollar. */
  unrevealed(): bigint
  refresh(): Promise<void>
  stop(): Promise<void>
}

const REFRESH_MS = 2000

export async function readUnfinal(
  db: Database,
  chains: readonly Chain[],
  capOf: (chain: Chain) => bigint | null,
): Promise<readonly Unfinal[]> {
  return unfinalOf(await readInFlight(db), await readTips(db), chains, capOf)
}

function unfinalOf(
  flights: readonly InFlight[],
  tips: ReadonlyMap<ChainId, Tip>,
  chains: readonly Chain[],
  capOf: (chain: Chain) => bigint | null,
): readonly Unfinal[] {
  return chains.map((chain) => ({ chain: chain.id, usdMicros: unfinalOn(chain, flights, tips.get(chain.id) ?? null), cap: capOf(chain) }))
}

export function startExposureWatch(options: {
  readonly db: Database
  readonly chains: readonly Chain[]
  readonly capOf: (chain: Chain) => bigint | null
  /** The amount waiting for client-held secrets at which the next one costs the most, in millionths of a dollar. */
  readonly unrevealedCap: bigint
  readonly log: Logger
  readonly refreshMs?: number
}): ExposureWatch {
  const { db, chains, capOf, unrevealedCap, log } = options
  let known: readonly Unfinal[] = chains.map((chain) => ({ chain: chain.id, usdMicros: 0n, cap: capOf(chain) }))

  let waiting = 0n

  async function refresh(): Promise<void> {
    const flights = await readInFlight(db)
    known = unfinalOf(flights, await readTips(db), chains, capOf)
    waiting = unrevealed(flights)
  }

  const loop = repeat(options.refreshMs ?? REFRESH_MS, refresh, (error) =>
    log.error({ err: error }, 'the amounts at risk cannot be read: the last ones are used'),
  )

  return {
    assertBelowUnfinalCap(chain, usdMicros) {
      const { usdMicros: open = 0n, cap = null } = known.find((one) => one.chain === chain) ?? {}
      if (cap === null || open + usdMicros <= cap) return
      const left = cap > open ? cap - open : 0n
      throw new TandemError(
        'amount_out_of_range',
        `too much from ${chain} is not final yet: $${formatUsd(left)} of $${formatUsd(cap)} are left; ask for less, or try later`,
      )
    },
    unfinal: () => known,
    unrevealed: () => waiting,
    unrevealedPercent: () => divideRoundingUp(waiting * 100n, unrevealedCap),
    refresh,
    stop: () => loop.stop(),
  }
}
