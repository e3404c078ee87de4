/** Reads a chain backwards in ranges of blocks, as wide as the node allows, in a bounded number of requests. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { NodeError } from './node-error.ts'
import { sleep } from './sleep.ts'

export type BlockScan<T> = {
  readonly tip: { readonly height: bigint; readonly time: bigint }
  /** Unix seconds. */
  readonly timeAt: (height: bigint) => Promise<bigint>
  /** Throws `NodeError` if the node does not answer for so many blocks. */
  readonly read: (from: bigint, to: bigint) => Promise<readonly T[]>
  readonly since: bigint
  readonly budget: { readonly left: number }
  readonly onProgress: (part: number) => void
  readonly signal?: AbortSignal
}

export type Scanned<T> = { readonly found: readonly T[] /** Unix seconds: everything from then on was read. */; readonly since: bigint }

/** By the timelock: solvers lock for the shorter one. Any other lock is refunded at most, which pays its initiator and shows no secret. */
export function legOf({ timelocks }: Pick<Chain, 'timelocks'>, { timelock }: { readonly timelock: bigint }): Leg {
  return timelock === timelocks.destination ? 'destination' : 'source'
}

const FIRST_RANGE = 10_000n
const LARGEST_RANGE = 200_000n
/** A node that refuses even so many refuses everything. */
const LEAST_RANGE = 8n

/** Newest first: what is in progress is recent. */
export async function scanBlocks<T>(scan: BlockScan<T>): Promise<Scanned<T>> {
  const { tip, timeAt, budget, onProgress } = scan
  const first = await firstSince(scan)
  const found: T[] = []
  let [range, largest] = [FIRST_RANGE, LARGEST_RANGE]
  let to = tip.height
  while (to >= first && budget.left > 0) {
    scan.signal?.throwIfAborted()
    const from = to - range + 1n > first ? to - range + 1n : first
    try {
      found.push(...(await patiently(scan, from, to)))
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      if (range <= LEAST_RANGE) {
        // Many nodes keep the events of some days only: what they have of newer blocks counts, and `since` tells how far it goes.
        if (to < tip.height) break
        throw error
      }
      // What is refused once is not tried again.
      largest = range / 2n > LEAST_RANGE ? range / 2n : LEAST_RANGE
      range = largest
      continue
    }
    to = from - 1n
    range = range * 2n < largest ? range * 2n : largest
    onProgress(Number(tip.height - to) / Number(tip.height - first + 1n))
  }
  return { found, since: to < first ? scan.since : await timeAt(to + 1n) }
}

const MOST_WAITS = 6
const WAIT_MS = 1_000

/** A node that limits how often it is asked is asked again, for the same blocks. */
async function patiently<T>({ read, signal }: BlockScan<T>, from: bigint, to: bigint): Promise<readonly T[]> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await read(from, to)
    } catch (error) {
      const isTooOften = error instanceof NodeError && /\b429\b|rate.?limit|too many requests/i.test(error.message)
      if (!isTooOften || waits >= MOST_WAITS) throw error
      await sleep(WAIT_MS * (waits + 1), signal)
    }
  }
}

/** The lowest block that is not older than `since`. Times never decrease. */
async function firstSince<T>({ tip, timeAt, since, budget }: BlockScan<T>): Promise<bigint> {
  let [older, newer] = [-1n, tip.height]
  async function isOlder(height: bigint): Promise<boolean> {
    // Each step halves the way, so only a height that no chain has takes so many.
    if (budget.left <= 0) throw new NodeError('the node shows a newest block that cannot be, or too few requests are allowed')
    return (await timeAt(height)) < since
  }
  // Most searches are for the last days: from the tip downwards in doubling steps, then between the last two.
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
