/** The newest block among several providers, and who of them keeps up with it. */
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure } from '../family.ts'
import { hearEnough, noAgreement } from './agreement.ts'
import { keyOfBlock, type NodeBlock } from './node.ts'
import type { Provider, ProviderPool } from './provider-pool.ts'

export interface AgreedTip {
  read(): Promise<NodeBlock>
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

  async function read(): Promise<NodeBlock> {
    const { answers, failures } = await hearEnough(pool, quorum, async (node) => {
      const block = await node.block('latest')
      if (block === null) throw new ChainFailure('unreachable', 'it has no block')
      return block
    })
    if (answers.length < quorum) throw noAgreement('the newest block', quorum, [answers.map(([provider]) => provider)], failures)
    return quorum === 1 ? ofTheFirst(answers) : ofTheQuorum(answers)
  }

  /** One alone is believed, and it is the same one as long as it keeps up. */
  function ofTheFirst(answers: readonly View[]): NodeBlock {
    const heights = heightsOf(answers)
    // One that makes up blocks must not make all others look late.
    const reference = (answers.length > 2 ? heights[1] : heights[0]) ?? 0n
    const keepUp = answers.filter((view) => isUpWith(reference, view))
    const [first] = keepUp
    if (first === undefined) throw new ChainFailure('unreachable', 'no provider keeps up')
    return first[1]
  }

  /** The highest block that so many have, with the same hash. */
  async function ofTheQuorum(answers: readonly View[]): Promise<NodeBlock> {
    const highest = heightsOf(answers)[quorum - 1] ?? 0n
    for (let height = highest; height >= 0n && height > highest - MAX_BRANCH_BLOCKS; height -= 1n) {
      const views = await viewsAt(height, answers)
      const isAgreed = (block: NodeBlock) => views.filter(([, other]) => keyOfBlock(other) === keyOfBlock(block)).length >= quorum
      const agreed = views.find(([, block]) => isAgreed(block))?.[1]
      if (agreed === undefined) continue
      for (const view of answers) {
        const own = views.find(([provider]) => provider === view[0])?.[1]
        if (own !== undefined && keyOfBlock(own) !== keyOfBlock(agreed))
          pool.failed(view[0], `it contradicts the others about block ${height}`)
        else isUpWith(height, view)
      }
      return agreed
    }
    const names = answers.map(([{ name }]) => name).join(', ')
    throw new ChainFailure('unreachable', `the newest blocks: providers do not agree on any, ${names}; ${quorum} must`)
  }

  async function viewsAt(height: bigint, answers: readonly View[]): Promise<readonly View[]> {
    const asked = answers
      .filter(([, newest]) => newest.height >= height)
      .map(async ([provider, newest]): Promise<View | null> => {
        if (newest.height === height) return [provider, newest]
        const block = await pool.ask(provider, (node) => node.block(height))
        return block === null ? null : [provider, block]
      })
    const settled = await Promise.allSettled(asked)
    return settled.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []))
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
      reading ??= read().finally(() => {
        reading = null
      })
      return reading
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
