/** The blocks on which several providers agree, and which of the providers keep up with the newest. */
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import { askUntilEqual } from './equal-answers.ts'
import { poll } from './poll.ts'
import type { Provider } from './provider.ts'
import { noAgreement, type Quorum } from './quorum.ts'
import { isUnreachable, Refusal } from './refusal.ts'

export interface AgreedBlocks<B> {
  newest(): Promise<B>
  /** Null above the newest, and at a height that the chain skipped. */
  at(height: bigint): Promise<B | null>
  /** Those at these heights, without skipped ones and any above the newest. The same providers agree on all of them, so they are of one chain. */
  all(heights: readonly bigint[]): Promise<readonly B[]>
  /** Of the newest block as it was read last; null before. */
  readonly height: bigint | null
}

export type BlockQuestions<N, B> = {
  readonly newest: (node: N) => Promise<B>
  /** Without the heights that were skipped or that it has not reached. */
  readonly all: (node: N, heights: readonly bigint[]) => Promise<readonly B[]>
  /** The whole header: a false time beside a true hash must not pass as the same block. */
  readonly keyOf: (block: B) => string
  /** Whether there may be no block at a height below the newest. A quorum must agree that there is none. */
  readonly heightsMaySkip: boolean
  /** How many blocks a provider may be behind. */
  readonly allowedLag: bigint
}

const LAG_BLOCKS = 3n
const LAG_MS = 15_000n
/** Deeper than providers differ while they move from one branch to another. */
const MAX_BRANCH_BLOCKS = 64n

/** In blocks: providers do not see a new block at the same moment. */
export function allowedLagOf({ blockMs }: Pick<Chain, 'blockMs'>): bigint {
  return most(LAG_BLOCKS, LAG_MS / most(blockMs, 1n))
}

export function createAgreedBlocks<N, B extends { readonly height: bigint }>(
  quorum: Quorum<N>,
  questions: BlockQuestions<N, B>,
): AgreedBlocks<B> {
  type View = readonly [Provider<N>, B]
  const { pool, size } = quorum
  const { keyOf, allowedLag } = questions
  let reading: Promise<B> | null = null
  let newest: bigint | null = null

  function readNewest(): Promise<B> {
    return poll<N, B, B>(pool, {
      enough: size,
      ask: questions.newest,
      decide: ({ answers, isAll }) => (size === 1 ? ofTheFirst(answers) : ofTheQuorum(answers, isAll)),
      otherwise({ answers, failures }) {
        const names = answers.map(([{ name }]) => name).join(', ')
        if (answers.length < size) throw noAgreement('the newest block', size, [answers.map(([provider]) => provider)], failures)
        if (size === 1) throw new ChainFailure('unreachable', 'no provider keeps up')
        throw new ChainFailure('unreachable', `the newest blocks: providers do not agree on any, ${names}; ${size} must`)
      },
    })
  }

  /** Without a quorum one provider is believed, and the same one as long as it keeps up. */
  function ofTheFirst(answers: readonly View[]): B | undefined {
    const heights = heightsOf(answers)
    // A provider that makes up blocks must not make all others look late.
    const reference = (answers.length > 2 ? heights[1] : heights[0]) ?? 0n
    return answers.filter((view) => keepsUp(reference, view))[0]?.[1]
  }

  /** The highest block that a quorum has with the same header. The search goes deep only when no other provider can still answer. */
  async function ofTheQuorum(answers: readonly View[], isAll: boolean): Promise<B | undefined> {
    const highest = heightsOf(answers)[size - 1] ?? 0n
    const lowest = most(highest - (isAll ? MAX_BRANCH_BLOCKS : LAG_BLOCKS) + 1n, 0n)
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
        else keepsUp(height, view)
      }
      return agreed
    }
    return undefined
  }

  async function viewsAt(height: bigint, answers: readonly View[]) {
    const views: View[] = []
    const silent = new Set<Provider<N>>()
    const look = async ([provider, tip]: View): Promise<void> => {
      try {
        const block = tip.height === height ? tip : (await pool.ask(provider, (node) => questions.all(node, [height])))[0]
        if (block !== undefined) views.push([provider, block])
      } catch (error) {
        if (!isUnreachable(error)) throw error
        // Waiting for its timeout at each height would take too long.
        pool.suspend(provider, error.message)
        silent.add(provider)
      }
    }
    await Promise.all(answers.filter(([, tip]) => tip.height >= height).map(look))
    return { views, silent }
  }

  function keepsUp(height: bigint, [provider, tip]: View): boolean {
    const lag = height - tip.height
    if (lag > allowedLag) pool.suspend(provider, `it is behind the others by more than ${allowedLag} blocks`)
    else pool.restore(provider)
    return lag <= allowedLag
  }

  /**
   * One question for all heights. Asked one by one, a liar could join an honest provider that is stuck on a stale branch for one height, and an
   * honest provider on the best branch for the next: a deposit of the stale branch would seem to have the confirmations of the best one.
   * Without skipped heights every provider should have each block up to the newest. A missing one counts as no answer, but no provider is suspended for it.
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
      // A provider that is behind has only a part of them: that is no contradiction.
      const isLasting = heights.length === 1 || due.length === heights.length
      return await askUntilEqual(quorum, { what, ask }, { keyOf: keyOfAll, isLasting })
    } catch (error) {
      throw error instanceof Refusal ? new ChainFailure('unreachable', error.message) : error
    }
  }

  return {
    /** Concurrent callers share one poll. */
    newest() {
      reading ??= readNewest()
        .then((block) => {
          newest = block.height
          return block
        })
        .finally(() => {
          reading = null
        })
      return reading
    },
    at: async (height) => (await all([height]))[0] ?? null,
    all,
    get height() {
      return newest
    },
  }
}

function heightsOf<N>(views: readonly (readonly [Provider<N>, { readonly height: bigint }])[]): readonly bigint[] {
  return views.map(([, block]) => block.height).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
