/** Finds the blocks on which a quorum of providers agrees, and suspends providers that are behind. */
import { setTimeout as sleep } from 'node:timers/promises'
import { max } from '@tandem/protocol/bigint.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import { askUntilEqual } from './equal-answers.ts'
import { poll } from './poll.ts'
import type { Provider } from './pool.ts'
import { noAgreement, type Quorum } from './quorum.ts'
import { isUnreachable, Refusal } from './refusal.ts'

export interface AgreedBlocks<B> {
  newest(): Promise<B>
  /**
   * One provider tells its newest block, round robin. It is only a hint whether reading the others is worthwhile. A provider that fails is
   * suspended, and all are asked.
   */
  tipHint(): Promise<B>
  /** Null means a height above the newest, or one that the chain skipped. */
  at(height: bigint): Promise<B | null>
  /** Skipped heights and any above the newest are left out. The same quorum agrees on all blocks, so they are of one branch. */
  all(heights: readonly bigint[]): Promise<readonly B[]>
  readonly height: bigint | null
}

export type BlockQuestions<N, B> = {
  readonly newest: (node: N) => Promise<B>
  /** Heights that were skipped or that the node has not reached are left out. */
  readonly all: (node: N, heights: readonly bigint[]) => Promise<readonly B[]>
  /** The whole header counts: a false time beside a true hash must not pass as the same block. */
  readonly keyOf: (block: B) => string
  /** True means that a height below the newest may have no block. A quorum must agree that there is none. */
  readonly heightsMaySkip: boolean
  readonly allowedLag: bigint
}

/** All providers are asked if one takes longer than this for a hint. */
const HINT_TIMEOUT_MS = 2_000
const LAG_BLOCKS = 3n
const LAG_MS = 15_000n
/** Callers date the newest block by the time of their request, so they share a read only if it began within this time. */
const SHARED_MS = 100
/** The search for a common block during a reorg ends at this depth. */
const MAX_BRANCH_BLOCKS = 64n

/** The lag is in blocks. Providers do not see a new block at the same moment. */
export function allowedLagOf({ blockMs }: Pick<Chain, 'blockMs'>): bigint {
  return max(LAG_BLOCKS, LAG_MS / max(blockMs, 1n))
}

export function createAgreedBlocks<N, B extends { readonly height: bigint }>(
  quorum: Quorum<N>,
  questions: BlockQuestions<N, B>,
): AgreedBlocks<B> {
  type View = readonly [Provider<N>, B]
  const { pool, size } = quorum
  const { keyOf, allowedLag } = questions
  let reading: { readonly block: Promise<B>; readonly beganAtMs: number } | null = null
  let newest: bigint | null = null
  let hints = 0

  function readNewest(): Promise<B> {
    return poll<N, B, B>(pool, {
      enough: size,
      ask: questions.newest,
      decide: ({ answers, isAll }) => (size === 1 ? newestOfBest(answers) : newestOfQuorum(answers, isAll)),
      otherwise({ answers, failures }) {
        const names = answers.map(([{ name }]) => name).join(', ')
        if (answers.length < size) throw noAgreement('the newest block', size, [answers.map(([provider]) => provider)], failures)
        if (size === 1) throw new ChainFailure('unreachable', 'every provider is behind')
        throw new ChainFailure('unreachable', `the newest block: fewer than ${size} of ${names} agree on one`)
      },
    })
  }

  /** With a quorum of 1 the best provider decides, and it stays the same as long as it is not behind. */
  function newestOfBest(answers: readonly View[]): B | undefined {
    const heights = heightsOf(answers)
    // One provider that forges a high block must not make all others seem behind.
    const reference = (answers.length > 2 ? heights[1] : heights[0]) ?? 0n
    return answers.filter((view) => checkLag(reference, view))[0]?.[1]
  }

  /** Finds the highest block that a quorum has with the same header. The search goes deep only when all providers have answered. */
  async function newestOfQuorum(answers: readonly View[], isAll: boolean): Promise<B | undefined> {
    const highest = heightsOf(answers)[size - 1] ?? 0n
    const lowest = max(highest - (isAll ? MAX_BRANCH_BLOCKS : LAG_BLOCKS) + 1n, 0n)
    let asked = answers
    for (let height = highest; height >= lowest; height -= 1n) {
      const { views, silent } = await viewsAt(height, asked)
      asked = asked.filter(([provider]) => !silent.has(provider))
      const isAgreed = (block: B) => views.filter(([, other]) => keyOf(other) === keyOf(block)).length >= size
      const agreed = views.find(([, block]) => isAgreed(block))?.[1]
      if (agreed === undefined) continue
      for (const view of asked) {
        const own = views.find(([provider]) => provider === view[0])?.[1]
        if (own !== undefined && keyOf(own) !== keyOf(agreed)) pool.suspend(view[0], `it contradicts the others about block ${height}`)
        else checkLag(height, view)
      }
      return agreed
    }
    return undefined
  }

  async function viewsAt(height: bigint, answers: readonly View[]) {
    const views: View[] = []
    const silent = new Set<Provider<N>>()
    const read = async ([provider, tip]: View): Promise<void> => {
      try {
        const block = tip.height === height ? tip : (await pool.ask(provider, (node) => questions.all(node, [height])))[0]
        if (block !== undefined) views.push([provider, block])
      } catch (error) {
        if (!isUnreachable(error)) throw error
        // It is left out from here: waiting for its timeout at each height would take too long.
        pool.suspend(provider, error)
        silent.add(provider)
      }
    }
    await Promise.all(answers.filter(([, tip]) => tip.height >= height).map(read))
    return { views, silent }
  }

  function checkLag(height: bigint, [provider, tip]: View): boolean {
    const lag = height - tip.height
    if (lag > allowedLag) pool.suspend(provider, `it is behind the others by more than ${allowedLag} blocks`)
    else pool.restore(provider)
    return lag <= allowedLag
  }

  /**
   * One request for all heights. If heights were asked one by one, a liar could form a quorum with an honest provider on a stale branch for one height, and
   * with an honest provider on the best branch for the next: a deposit on the stale branch would seem to have the confirmations of the best one.
   * Unless heights may skip, every provider should have each block up to the newest. A missing block counts as no answer; the provider is not suspended for it.
   */
  async function all(heights: readonly bigint[]): Promise<readonly B[]> {
    const due = heights.filter((height) => !questions.heightsMaySkip && newest !== null && height <= newest)
    const ask = async (node: N) => {
      const blocks = await questions.all(node, heights)
      const lacking = due.find((height) => !blocks.some((block) => block.height === height))
      if (lacking !== undefined) throw new Refusal(0, `it does not have block ${lacking}`)
      return blocks
    }
    const keyOfAll = (blocks: readonly B[]) => (blocks.length === 0 ? null : blocks.map(keyOf).join('\n'))
    const what = heights.length === 1 ? `block ${heights[0]}` : `blocks ${heights.join(', ')}`
    try {
      // A provider that is behind has only a part of them: that is not a contradiction.
      const isImmutable = heights.length === 1 || due.length === heights.length
      return await askUntilEqual(quorum, { what, ask }, { keyOf: keyOfAll, isImmutable })
    } catch (error) {
      throw error instanceof Refusal ? new ChainFailure('unreachable', error.message) : error
    }
  }

  async function tipHint(): Promise<B> {
    const available = pool.available()
    hints += 1
    const provider = available[hints % available.length]
    if (provider === undefined) return readAgreed()
    const late = new AbortController()
    try {
      const seen = await Promise.race([pool.ask(provider, questions.newest), sleep(HINT_TIMEOUT_MS, null, { signal: late.signal })])
      if (seen !== null) return seen
    } catch (error) {
      if (!isUnreachable(error)) throw error
      pool.suspend(provider, error)
    } finally {
      late.abort()
    }
    return readAgreed()
  }

  return {
    tipHint,
    newest: readAgreed,
    at: async (height) => (await all([height]))[0] ?? null,
    all,
    get height() {
      return newest
    },
  }

  function readAgreed(): Promise<B> {
    if (reading !== null && performance.now() - reading.beganAtMs <= SHARED_MS) return reading.block
    const beganAtMs = performance.now()
    const block = readNewest()
      .then((found) => {
        newest = found.height
        return found
      })
      .finally(() => {
        if (reading?.block === block) reading = null
      })
    reading = { block, beganAtMs }
    return block
  }
}

function heightsOf<N>(views: readonly (readonly [Provider<N>, { readonly height: bigint }])[]): readonly bigint[] {
  return views.map(([, block]) => block.height).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))
}
