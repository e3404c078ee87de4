/** Reads what is at risk every few seconds: what quotes and metrics say of it. Locks read it anew. */

import { createLoop } from '@tandem/party/engine/loop.ts'
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
  /** Throws `amount_out_of_range` if so much more from this chain would be beyond its limit. */
  assertRoom(chain: ChainId, usdMicros: bigint): void
  unfinal(): readonly Unfinal[]
  /** What waits for clients' secrets, in percent of what may. */
  unrevealedPercent(): bigint
  /** In millionths of a dollar. */
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
  /** What may wait for clients' secrets before the next one costs most, in millionths of a dollar. */
  readonly unrevealedMost: bigint
  readonly log: Logger
  readonly refreshMs?: number
}): ExposureWatch {
  const { db, chains, capOf, unrevealedMost, log } = options
  let known: readonly Unfinal[] = chains.map((chain) => ({ chain: chain.id, usdMicros: 0n, cap: capOf(chain) }))

  let waiting = 0n

  async function refresh(): Promise<void> {
    const flights = await readInFlight(db)
    known = unfinalOf(flights, await readTips(db), chains, capOf)
    waiting = unrevealed(flights)
  }

  const loop = createLoop({
    intervalMs: options.refreshMs ?? REFRESH_MS,
    async run() {
      await refresh()
      return false
    },
    onError: (error) => log.error({ err: error }, 'reading what is at risk failed'),
  })

  return {
    assertRoom(chain, usdMicros) {
      const { usdMicros: open = 0n, cap = null } = known.find((one) => one.chain === chain) ?? {}
      if (cap === null || open + usdMicros <= cap) return
      const left = cap > open ? cap - open : 0n
      throw new TandemError(
        'amount_out_of_range',
        `too much from ${chain} is not final yet: $${formatUsd(left)} of $${formatUsd(cap)} are left; ask for less, or later`,
      )
    },
    unfinal: () => known,
    unrevealed: () => waiting,
    unrevealedPercent: () => divideRoundingUp(waiting * 100n, unrevealedMost),
    refresh,
    stop: () => loop.stop(),
  }
}
