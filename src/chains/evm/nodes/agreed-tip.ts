/** The newest block among several providers, and who of them keeps up with it. */
import type { Chain } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'
import { noAgreement } from './agreement.ts'
import { hear, isUnreachable } from './ask-quorum.ts'
import { keyOfBlock, type NodeBlock } from './node.ts'
import type { Provider, ProviderPool } from './provider-pool.ts'

export interface AgreedTip {
  read(): Promise<NodeBlock>
  /** As it was read last; null before. */
  readonly height: bigint | null
}

/** A provider may be behind by as much: blocks take their time from one to the other. */
const LAG_BLOCKS = 3n
const LAG_MS = 15_000n
/** Deeper than providers differ while they change from one branch to another. */
const MAX_BRANCH_BLOCKS = 64n

type View = readonly [Provider, NodeBlock]

export function createAgreedTip(chain: Pick<Chain, 'blockMs'>, pool: ProviderPool, quorum: number): AgreedTip {
  const allowedLag = allowedLagOf(chain)
  let reading: Promise<NodeBlock> | null = null
  let newest: bigint | null = null

  function read(): Promise<NodeBlock> {
    return hear<NodeBlock, NodeBlock>(pool, {
      enough: quorum,
      async ask(node) {
        const block = await node.block('latest')
        if (block === null) throw new ChainFailure('unreachable', 'it has no block')
        return block
      },
      decide: ({ answers, isAll }) => (quorum === 1 ? ofTheFirst(answers) : ofTheQuorum(answers, isAll)),
      otherwise({ answers, failures }) {
        const names = answers.map(([{ name }]) => name).join(', ')
        if (answers.length < quorum) throw noAgreement('the newest block', quorum, [answers.map(([provider]) => provider)], failures)
        if (quorum === 1) throw new ChainFailure('unreachable', 'no provider keeps up')
        throw new ChainFailure('unreachable', `the newest blocks: providers do not agree on any, ${names}; ${quorum} must`)
      },
    })
  }

  /** One alone is believed, and it is the same one as long as it keeps up. */
  function ofTheFirst(answers: readonly View[]): NodeBlock | undefined {
    const heights = heightsOf(answers)
    // One that makes up blocks must not make all others look late.
    const reference = (answers.length > 2 ? heights[1] : heights[0]) ?? 0n
    return answers.filter((view) => isUpWith(reference, view))[0]?.[1]
  }

  /** The highest block that so many have, with the same hash. While others may still be heard, no long search among those at hand. */
  async function ofTheQuorum(answers: readonly View[], isAll: boolean): Promise<NodeBlock | undefined> {
    const highest = heightsOf(answers)[quorum - 1] ?? 0n
    const lowest = most(highest - (isAll ? MAX_BRANCH_BLOCKS : LAG_BLOCKS) + 1n, 0n)
    let asked = answers
    for (let height = highest; height >= lowest; height -= 1n) {
      const { views, silent } = await viewsAt(height, asked)
      asked = asked.filter(([provider]) => !silent.has(provider))
      const isAgreed = (block: NodeBlock) => views.filter(([, other]) => keyOfBlock(other) === keyOfBlock(block)).length >= quorum
      const agreed = views.find(([, block]) => isAgreed(block))?.[1]
      if (agreed === undefined) continue
      for (const view of asked) {
        const own = views.find(([provider]) => provider === view[0])?.[1]
        if (own !== undefined && keyOfBlock(own) !== keyOfBlock(agreed))
          pool.failed(view[0], `it contradicts the others about block ${height}`)
        else isUpWith(height, view)
      }
      return agreed
    }
    return undefined
  }

  async function viewsAt(height: bigint, answers: readonly View[]) {
    const views: View[] = []
    const silent = new Set<Provider>()
    const look = async ([provider, newest]: View): Promise<void> => {
      try {
        const block = newest.height === height ? newest : await pool.ask(provider, (node) => node.block(height))
        if (block !== null) views.push([provider, block])
      } catch (error) {
        if (!isUnreachable(error)) throw error
        // To wait for it at each height would take too long.
        pool.failed(provider, error.message)
        silent.add(provider)
      }
    }
    await Promise.all(answers.filter(([, newest]) => newest.height >= height).map(look))
    return { views, silent }
  }

  function isUpWith(height: bigint, [provider, newest]: View): boolean {
    const lag = height - newest.height
    if (lag > allowedLag) pool.failed(provider, `it is behind the others by more than ${allowedLag} blocks`)
    else pool.sound(provider)
    return lag <= allowedLag
  }

  return {
    /** Whoever asks while it is being found out gets the same answer. */
    read() {
      reading ??= read()
        .then((block) => {
          newest = block.height
          return block
        })
        .finally(() => {
          reading = null
        })
      return reading
    },
    get height() {
      return newest
    },
  }
}

/** In blocks. */
export function allowedLagOf({ blockMs }: Pick<Chain, 'blockMs'>): bigint {
  return most(LAG_BLOCKS, LAG_MS / most(blockMs, 1n))
}

function heightsOf(views: readonly View[]): readonly bigint[] {
  return views.map(([, block]) => block.height).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
