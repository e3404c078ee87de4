/** Reclaims money that lies in an account at an HTLC. We pay for a few of each order in a day: strangers may pay into its account again and again. */
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import type { ContractTypes, Lane } from './lane.ts'
import { sendOn } from './sending.ts'

/** This is per order and day: a reclaim may revert, or leave a part. The owner can take the money out alone at any time. */
const MAX_RECLAIMS = 3
const DAY_SECONDS = 86_400n
const REFUSED_RETRY_MS = 3_600_000

export type Reclaiming<T extends ContractTypes> = {
  readonly lane: Lane<T>
  readonly call: T['call']
  costNow(): Promise<T['cost']>
  held(): Promise<bigint>
  simulate(): Promise<unknown>
  outcome(tx: string): Promise<unknown>
  /** The owner of the money may do this. */
  readonly alone: string
}

/** Resolves to the hash of the live reclaim; null once nothing is left. */
export async function sendReclaim<T extends ContractTypes>(reclaiming: Reclaiming<T>, outbox: Outbox): Promise<string | null> {
  const { lane, call, costNow } = reclaiming
  const sending = sendOn(lane)
  let live: string | null = null
  for (const signed of lane.pending) live = await sending.keep(signed, costNow)
  // Where transactions expire instead of having a nonce, a mined one is kept until then.
  if (live !== null && (await reclaiming.outcome(live)) === null) return live
  const left = await reclaiming.held()
  if (left === 0n) return null
  await assertReclaimsLeft(left, reclaiming, outbox)
  await reclaiming.simulate()
  return sending.append(call, await costNow())
}

/** Only what was mined counts, and only what is worth its fee is sent. So a stranger's small payments use up nothing, and delay a large one by a day at most. */
export async function assertReclaimsLeft(
  left: bigint,
  { outcome, alone }: Pick<Reclaiming<ContractTypes>, 'outcome' | 'alone'>,
  { attempts, now, payForReclaim }: Pick<Outbox, 'attempts' | 'now' | 'payForReclaim'>,
): Promise<void> {
  const recent = attempts.filter(({ at }) => at + DAY_SECONDS > now)
  const outcomes = await Promise.all(recent.map(({ tx }) => outcome(tx)))
  const times = recent.flatMap(({ at }, index) => (outcomes[index] == null ? [] : [at]))
  const oldest = times[0]
  if (oldest !== undefined && times.length >= MAX_RECLAIMS) {
    const refusal = `we have paid for ${MAX_RECLAIMS} reclaims of this order within a day, and pay for the next one a day after the first: ${alone}`
    const retryAfterMs = 1000 * Number(oldest + DAY_SECONDS - now)
    throw new ChainFailure('would-fail', `reclaim: ${left} are left; ${refusal}`, { refusal, retryAfterMs })
  }
  await payForReclaim?.(left)
}

/** The chain refuses the payout, perhaps for a long time: a token can block an account. A retry costs us only reads, and the owner is told. */
export function lastingRefusal(failure: ChainFailure): ChainFailure {
  const refusal = `the chain refuses the return, which is tried again in an hour: ${failure.message}`
  return new ChainFailure('would-fail', failure.message, { cause: failure, refusal, retryAfterMs: REFUSED_RETRY_MS })
}
