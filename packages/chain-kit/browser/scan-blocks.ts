/** Reads a chain backwards in ranges of blocks, as wide as the node allows, in a bounded number of requests. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { NodeError } from './node-error.ts'
import { sleep } from './sleep.ts'

export type BlockScan<T> = {
  readonly tip: { readonly height: bigint; readonly time: bigint }
  /** Times are in unix seconds. */
  readonly timeAt: (height: bigint) => Promise<bigint>
  readonly read: (from: bigint, to: bigint) => Promise<readonly T[]>
  readonly since: bigint
  readonly budget: { readonly left: number }
  readonly onProgress: (part: number) => void
  readonly signal?: AbortSignal
}

export type Scanned<T> = { readonly found: readonly T[] /** Unix seconds: everything from then on was read. */; readonly since: bigint }

/** The leg follows from the timelock: solvers lock for the shorter one. We never redeem any other lock, only refund it, which shows no secret. */
export function legOf({ timelocks }: Pick<Chain, 'timelocks'>, { timelock }: { readonly timelock: bigint }): Leg {
  return timelock === timelocks.destination ? 'destination' : 'source'
}

const FIRST_RANGE = 10_000n
const MAX_RANGE = 200_000n
/** A node that refuses even this range refuses everything. */
const MIN_RANGE = 8n

export async function scanBlocks<T>(scan: BlockScan<T>): Promise<Scanned<T>> {
  const { tip, timeAt, budget, onProgress } = scan
  const first = await firstSince(scan)
  const found: T[] = []
  let [range, maxRange] = [FIRST_RANGE, MAX_RANGE]
  let to = tip.height
  while (to >= first && budget.left > 0) {
    scan.signal?.throwIfAborted()
    const from = to - range + 1n > first ? to - range + 1n : first
    try {
      found.push(...(await patiently(scan, from, to)))
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      if (range <= MIN_RANGE) {
        // Many nodes keep only the events of some days: we use what they have, and `since` says how far it goes.
        if (to < tip.height) break
        throw error
      }
      // A range that was refused once is not tried again.
      maxRange = range / 2n > MIN_RANGE ? range / 2n : MIN_RANGE
      range = maxRange
      continue
    }
    to = from - 1n
    range = range * 2n < maxRange ? range * 2n : maxRange
    onProgress(Number(tip.height - to) / Number(tip.height - first + 1n))
  }
  return { found, since: to < first ? scan.since : await timeAt(to + 1n) }
}

const MAX_WAITS = 6
const WAIT_MS = 1_000

/** If the node limits our rate, the same request is repeated after a pause. */
async function patiently<T>({ read, signal }: BlockScan<T>, from: bigint, to: bigint): Promise<readonly T[]> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await read(from, to)
    } catch (error) {
      const isTooOften = error instanceof NodeError && /\b429\b|rate.?limit|too many requests/i.test(error.message)
      if (!isTooOften || waits >= MAX_WAITS) throw error
      await sleep(WAIT_MS * (waits + 1), signal)
    }
  }
}

/** Finds the lowest block that is not older than `since`. Times never decrease. */
async function firstSince<T>({ tip, timeAt, since, budget }: BlockScan<T>): Promise<bigint> {
  let [older, newer] = [-1n, tip.height]
  async function isOlder(height: bigint): Promise<boolean> {
    // Each step halves the range, so only an impossible height takes this many.
    if (budget.left <= 0) throw new NodeError('the node shows an impossible newest block, or too few requests are allowed')
    return (await timeAt(height)) < since
  }
  for (let step = FIRST_RANGE; newer > 0n; step *= 2n) {
    const height = tip.height - step
    if (height <= 0n) break
    if (await isOlder(height)) {
      older = height
      break
    }
    newer = height
  }
  while (newer - older > 1n) {
    const middle = (older + newer) / 2n
    if (await isOlder(middle)) older = middle
    else newer = middle
  }
  return newer
}
