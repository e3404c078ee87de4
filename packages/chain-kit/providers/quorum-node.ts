/** Makes one node of several providers. A table gives for each method the rule by which answers must agree. */
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import { allowedLagOf, createAgreedBlocks } from './agreed-blocks.ts'
import { checkProviders, openQuorum } from './open-quorum.ts'
import type { Provider } from './pool.ts'
import type { Question, Quorum, Rule } from './quorum.ts'
import { finalHeight } from './rules.ts'

type Method<A extends readonly unknown[], T> = (...args: A) => Promise<T>

/** A row takes the arguments of a call, and gives a name of the question for error texts, and the rule. */
type Row<F> = F extends Method<infer A, infer T> ? (...args: A) => readonly [what: string, rule: Rule<T>] : never

export type AgreementTable<N, M extends keyof N> = { readonly [K in M]: Row<N[K]> }

export function createQuorumNode<N, M extends keyof N>(quorum: Quorum<N>, table: AgreementTable<N, M>): Pick<N, M> {
  const methods = Object.entries<Row<Method<unknown[], unknown>>>(table).map(([name, row]) => [
    name,
    (...args: unknown[]) => {
      const [what, rule] = row(...args)
      const question: Question<N, unknown> = { what, ask: (node) => (node[name as M] as Method<unknown[], unknown>)(...args) }
      return rule(quorum, question)
    },
  ])
  return Object.fromEntries(methods)
}

export type SharedNodeOptions = {
  /** This many providers must agree where money depends on the answer. One fewer may lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

type SharedNode = { blocks(heights: readonly bigint[]): Promise<readonly Block[]>; close(): void }

type BlockOf<N extends SharedNode> = Awaited<ReturnType<N['blocks']>>[number]

type Kind<N extends SharedNode> = Pick<Quorum<N>, 'isExecutionError'> & {
  readonly problemOf: (chain: Chain, node: N) => Promise<string | null>
  readonly newest: (node: N) => Promise<BlockOf<N>>
  /** The whole header counts: a false time beside a true hash must not pass as the same block. */
  readonly keyOf: (block: BlockOf<N>) => string
}

export function openSharedNode<N extends SharedNode>(
  chain: Chain,
  providers: readonly Provider<N>[],
  { quorum: size, ...options }: SharedNodeOptions,
  { problemOf: problemIn, newest, keyOf, ...kind }: Kind<N>,
) {
  const problemOf = (node: N) => problemIn(chain, node)
  const quorum = openQuorum(chain.id, providers, { size, problemOf, ...kind, ...options })
  const allowedLag = allowedLagOf(chain)
  const blocks = createAgreedBlocks<N, BlockOf<N>>(quorum, {
    newest,
    all: async (node, heights) => (await node.blocks(heights)) as readonly BlockOf<N>[],
    keyOf,
    heightsMaySkip: chain.heightsMaySkip,
    allowedLag,
  })

  return {
    quorum,
    newest: blocks.newest,
    verify: () => checkProviders(chain.id, providers, size, problemOf),
    /** No block above the newest can be final. A provider that claims one far above it is suspended; slightly above counts as the newest. */
    async finalHeight(word: string, ask: (node: N) => Promise<bigint | null>): Promise<bigint | null> {
      const { height: newestHeight } = await blocks.newest()
      const askBelow = async (node: N) => {
        const height = await ask(node)
        if (height !== null && height > newestHeight + allowedLag)
          throw new ChainFailure('unreachable', `it calls block ${height} ${word}, and the newest is ${newestHeight}`)
        return height !== null && height > newestHeight ? newestHeight : height
      }
      return finalHeight(quorum, { what: `the newest block that is ${word}`, ask: askBelow })
    },
    methods: {
      /** Any word for a height means the newest. */
      block: (height: bigint | string) => (typeof height === 'bigint' ? blocks.at(height) : blocks.newest()),
      tipHint: blocks.tipHint,
      blocks: blocks.all,
      close: () => void quorum.close(),
    },
  }
}
