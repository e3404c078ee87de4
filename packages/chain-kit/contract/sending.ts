/** Signs, records and broadcasts on a lane, and signs again if nodes refuse for a reason that another signature fixes. */
import { ChainFailure } from '../port/failure.ts'
import type { Allocated, ContractTypes, Lane, Refused, Sharing } from './lane.ts'

export interface Sending<T extends ContractTypes> {
  /** Nothing new is signed if this action has the same call in line. Resolves to the hash. */
  append(call: T['call'], cost: T['cost']): Promise<string>
  /** Nothing new is signed if any action has the same call in line. */
  appendShared(call: T['call'], cost: T['cost']): Promise<string>
  /**
   * Rebroadcasts, or bumps the fee if needed. Returns the current hash; null when it can never be mined.
   * `costNow` is called when nodes refuse the gas or energy limit that it was signed with.
   */
  keep(signed: T['signed'], costNow: (call: T['call']) => Promise<T['cost']>): Promise<string | null>
  replace(signed: T['signed'], call: T['call'], cost: T['cost']): Promise<string>
}

/** Each try is recorded. After this many refusals an operator must intervene. */
const MAX_TRIES = 6

export function sendOn<T extends ContractTypes>(lane: Lane<T>): Sending<T> {
  async function signAndBroadcast(
    sign: (refused: Refused<T> | null) => Promise<Allocated<T>>,
    refusedBefore: Refused<T> | null = null,
  ): Promise<string> {
    let refused = refusedBefore
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const { signed, isNew } = await sign(refused)
      if (!isNew) return signed.tx
      const verdict = await lane.broadcast(signed)
      if (verdict === 'accepted') return signed.tx
      refused = { signed, why: verdict }
    }
    throw new ChainFailure('would-fail', `the nodes refused ${MAX_TRIES} transactions in a row, the last one as ${refused?.why}`)
  }

  async function replace(old: T['signed'], call: T['call'], cost: T['cost'], refused: Refused<T> | null = null): Promise<string> {
    const { replacement } = lane
    if (replacement === null) throw new Error(`${old.tx} cannot be replaced: only its expiry ends it`)
    return signAndBroadcast(async (again) => ({ signed: await replacement.replace(old, call, cost, again), isNew: true }), refused)
  }

  /** If one provider accepted it, it may be mined and its calldata may be public: then no later refusal or failure is final. */
  async function unlessAccepted<R>(isAccepted: () => boolean, work: () => Promise<R>): Promise<R> {
    try {
      return await work()
    } catch (error) {
      if (!isAccepted() || !(error instanceof ChainFailure)) throw error
      throw new ChainFailure('unreachable', `${error.message}; some providers have accepted it`, { cause: error })
    }
  }

  const append = (call: T['call'], cost: T['cost'], sharing: Sharing) =>
    unlessAccepted(lane.isPartlyAccepted, () => signAndBroadcast((refused) => lane.allocate(call, cost, refused, sharing)))

  return {
    append: (call, cost) => append(call, cost, { mayShare: false }),
    appendShared: (call, cost) => append(call, cost, { mayShare: true }),
    keep: (signed, costNow) =>
      unlessAccepted(lane.isPartlyAccepted, async () => {
        const followed = await lane.follow(signed)
        if (followed.kind !== 'replace') return followed.kind === 'waits' ? signed.tx : null
        const { cost, refused, isSent } = followed
        return unlessAccepted(
          () => isSent,
          async () => replace(signed, signed.call, cost ?? (await costNow(signed.call)), refused),
        )
      }),
    replace: (signed, call, cost) => unlessAccepted(lane.isPartlyAccepted, () => replace(signed, call, cost)),
  }
}
