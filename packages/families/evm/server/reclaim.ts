/** Sends reclaims of money that lies in an account at an HTLC. We pay for a few of each order: strangers may pay into its account again and again. */

import type { ContractTypes, Lane } from '@tandem/chain-kit/contract/lane.ts'
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'

/** This is per order: a reclaim may revert, or leave a part. After that the owner can take the money out alone. */
const MAX_RECLAIMS = 3
const EXHAUSTED_RETRY_MS = 7 * 86_400_000
const REFUSED_RETRY_MS = 3_600_000

/** The call comes too early. That may change with the next block. */
const TOO_EARLY = /HTLC__NotReturnable/

export type Reclaiming<T extends ContractTypes> = {
  readonly lane: Lane<T>
  readonly call: T['call']
  costNow(): Promise<T['cost']>
  held(): Promise<bigint>
  simulate(): Promise<unknown>
  outcome(tx: string): Promise<unknown>
  /** The owner of the money may call this. */
  readonly alone: string
}

/** Resolves to the hash of the live reclaim; null once nothing is left. */
export async function sendReclaim<T extends ContractTypes>(reclaiming: Reclaiming<T>, { attempts }: Outbox): Promise<string | null> {
  const { lane, call, costNow } = reclaiming
  const sending = sendOn(lane)
  let live: string | null = null
  for (const signed of lane.pending) live = await sending.keep(signed, costNow)
  // Where transactions expire instead of having a nonce, a mined one is kept until then.
  if (live !== null && (await reclaiming.outcome(live)) === null) return live
  const left = await reclaiming.held()
  if (left === 0n) return null
  const outcomes = await Promise.all(attempts.map(({ tx }) => reclaiming.outcome(tx)))
  if (outcomes.filter((outcome) => outcome !== null).length >= MAX_RECLAIMS) throw limitReached(left, reclaiming.alone)
  try {
    await reclaiming.simulate()
  } catch (error) {
    if (!(error instanceof ChainFailure) || error.kind !== 'would-fail' || TOO_EARLY.test(error.message)) throw error
    // The token refuses the payout, perhaps for a long time. A retry costs us only reads.
    throw new ChainFailure('would-fail', error.message, { cause: error, retryAfterMs: REFUSED_RETRY_MS })
  }
  return sending.append(call, await costNow())
}

function limitReached(left: bigint, alone: string): ChainFailure {
  const refusal = `we have paid for ${MAX_RECLAIMS} reclaims of this order and pay for no more: ${alone}`
  return new ChainFailure('would-fail', `reclaim: ${left} are left; ${refusal}`, { refusal, retryAfterMs: EXHAUSTED_RETRY_MS })
}
