/** One node made of several providers: it goes on when some are dead, slow or behind, and with a quorum when some of them lie. */
import type { Address } from 'viem'
import type { Chain } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'
import { chainIdOf } from '../htlc.ts'
import { commonRefusal, PartialRefusal, verdictOf } from '../send/broadcast.ts'
import { allowedLagOf, createAgreedTip } from './agreed-tip.ts'
import { agree, noAgreement, type Question, refusalAmong } from './agreement.ts'
import { type Heard, hear } from './ask-quorum.ts'
import { type EvmNode, keyOfBlock, type NodeBlock, type NodeLog } from './node.ts'
import { createProviderPool, type Provider } from './provider-pool.ts'
import { NodeRefusal } from './rpc.ts'

export type SharedNodeOptions = {
  /** How many providers must say the same where money depends on it. One fewer may lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

export function createSharedNode(chain: Chain, providers: readonly Provider[], { quorum, ...options }: SharedNodeOptions): EvmNode {
  const chainId = BigInt(chainIdOf(chain))
  let isClosed = false
  // What ends with the connection is nobody's fault.
  const onTrouble = (what: string) => (isClosed ? undefined : options.onTrouble(`${chain.id}: ${what}`))
  const pool = createProviderPool(providers, { chainId, ...options, onTrouble })
  const tip = createAgreedTip(chain, pool, quorum)
  const allowedLag = allowedLagOf(chain)

  /** Of states that may change with every block: answers may differ for a moment, and no one is to blame for it. */
  const current = <T>(what: string, ask: (node: EvmNode) => Promise<T>, keyOf = textOf<T>) =>
    agree(pool, quorum, { what, ask, keyOf, isLasting: false })
  const lasting = <T>(what: string, ask: (node: EvmNode) => Promise<T>, keyOf: Question<T>['keyOf']) =>
    agree(pool, quorum, { what, ask, keyOf, isLasting: true })

  const tooFew = (what: string, { answers, failures }: Heard<unknown>) =>
    noAgreement(what, quorum, [answers.map(([provider]) => provider)], failures)

  /**
   * Each has its own opinion of a number that moves. Fewer than `quorum` of them lie, so that the answer is not below what all honest ones
   * say ('up'), or not above it ('down'); with `2 * quorum - 1` answers it is both. `unclear`: what to do with fewer that are far apart.
   */
  function opinion(
    what: string,
    ask: (node: EvmNode) => Promise<bigint>,
    round: 'up' | 'down',
    unclear: (answer: bigint) => bigint = (answer) => answer,
  ): Promise<bigint> {
    if (quorum === 1) return current(what, ask)
    const sorted = ({ answers }: Heard<bigint>) => answers.map(([, value]) => value).sort(ascending)
    const pick = (values: readonly bigint[]) => values.at(round === 'up' ? quorum - 1 : -quorum)
    return hear(pool, {
      enough: quorum,
      ask,
      decide(heard) {
        const values = sorted(heard)
        return values.length >= 2 * quorum - 1 || areClose(values) ? pick(values) : undefined
      },
      otherwise(heard) {
        const answer = pick(sorted(heard))
        if (answer === undefined || heard.answers.length < quorum) throw refusalAmong(heard.failures) ?? tooFew(what, heard)
        return unclear(answer)
      },
    })
  }
  /** For who has a safe constant to fall back to. */
  const unknown = (what: string) => () => {
    throw new NodeRefusal(0, `${what}: providers are far apart`, null)
  }

  /**
   * What is signed for a nonce of the past, or beyond a gap, is never mined, and yet shows what it holds to everyone: a liar must not choose
   * it. So many say the same, or so many answer that the liars cannot be in the middle; else it is asked again in a moment.
   */
  function transactionCount(address: Address): Promise<bigint> {
    const what = `the nonce of ${address}`
    const ask = (node: EvmNode) => node.transactionCount(address)
    if (quorum === 1) return current(what, ask)
    return hear<bigint, bigint>(pool, {
      enough: quorum,
      ask,
      decide({ answers }) {
        const counts = answers.map(([, count]) => count).sort(ascending)
        const agreed = counts.findLast((count) => counts.filter((other) => other === count).length >= quorum)
        return agreed ?? (counts.length >= 2 * quorum - 1 ? counts.at(-quorum) : undefined)
      },
      otherwise({ answers, failures }) {
        const camps = [...new Set(answers.map(([, count]) => count))].map((count) =>
          answers.filter(([, other]) => other === count).map(([provider]) => provider),
        )
        throw noAgreement(what, quorum, camps, failures)
      },
    })
  }

  /** What is below the newest block everyone has or should have: to lack it is no answer, and nobody's fault for a moment. */
  async function blockAt(height: bigint): Promise<NodeBlock | null> {
    const isDue = tip.height !== null && height <= tip.height
    const ask = async (node: EvmNode) => {
      const block = await node.block(height)
      if (block === null && isDue) throw new NodeRefusal(0, `it does not have block ${height}`, null)
      return block
    }
    try {
      return await lasting(`block ${height}`, ask, keyOfBlock)
    } catch (error) {
      throw error instanceof NodeRefusal ? new ChainFailure('unreachable', error.message) : error
    }
  }

  /** No block above the newest is final: who says so is wrong, or another is so far behind that it does not matter. */
  async function finalHeight(tag: 'safe' | 'finalized'): Promise<bigint | null> {
    const what = `the ${tag} block`
    const newest = (await tip.read()).height
    const ask = async (node: EvmNode) => {
      const height = await node.finalHeight(tag)
      if (height !== null && height > newest + allowedLag)
        throw new ChainFailure('unreachable', `it calls block ${height} ${tag}, and the newest is ${newest}`)
      return height !== null && height > newest ? newest : height
    }
    if (quorum === 1) return current(what, ask)
    return hear<bigint | null, bigint | null>(pool, {
      enough: quorum,
      ask,
      /** The highest that so many call final. */
      decide: ({ answers }) =>
        answers
          .flatMap(([, height]) => height ?? [])
          .sort(ascending)
          .at(-quorum),
      otherwise(heard) {
        if (heard.answers.length < quorum) throw tooFew(what, heard)
        // Some know the tag, some do not: as long as it is so, nothing more becomes final.
        return heard.answers.filter(([, height]) => height === null).length >= quorum ? null : 0n
      },
    })
  }

  return {
    /** Rejects if any of them serves another chain: that is a mistake in the configuration, whatever the others say. */
    async chainId() {
      const settled = await Promise.allSettled(providers.map(({ node }) => node.chainId()))
      const served = settled.map((one, i) => ({ name: providers[i]?.name, id: one.status === 'fulfilled' ? one.value : null, one }))
      const wrong = served.filter(({ id }) => id !== null && id !== chainId)
      if (wrong.length > 0) {
        const who = wrong.map(({ name, id }) => `${name} serves evm:${id}`).join(', ')
        throw new ChainFailure('would-fail', `${chain.id}: ${who}, expected ${chain.reference}`)
      }
      const silent = served.flatMap(({ name, one }) => (one.status === 'rejected' ? [`${name}: ${one.reason.message}`] : []))
      if (providers.length - silent.length < quorum) throw new ChainFailure('unreachable', silent.join('; '))
      return chainId
    },
    block: (height) => (height === 'latest' ? tip.read() : blockAt(height)),
    finalHeight,
    code: (address) => current(`the code of ${address}`, (node) => node.code(address)),
    logs: (query) =>
      lasting(
        'blockHash' in query ? `logs of block ${query.blockHash}` : `logs of blocks ${query.from} to ${query.to}`,
        (node) => node.logs(query),
        keyOfLogs,
      ),
    call: (call) => current(`a call of ${call.to}`, (node) => node.call(call)),
    callAmount: (call, amountOf, round) => opinion(`a call of ${call.to}`, (node) => node.callAmount(call, amountOf, round), round),
    estimateGas(call) {
      const what = `the gas for a call of ${call.to}`
      return opinion(what, (node) => node.estimateGas(call), 'up', unknown(what))
    },
    balance: (address) => opinion(`the balance of ${address}`, (node) => node.balance(address), 'down'),
    transactionCount,
    priorityFee: () => opinion('the priority fee', (node) => node.priorityFee(), 'up', unknown('the priority fee')),
    gasPrice: () => opinion('the gas price', (node) => node.gasPrice(), 'up'),
    async isKnown(tx) {
      if (quorum === 1) return current(`transaction ${tx}`, (node) => node.isKnown(tx))
      return hear<boolean, boolean>(pool, {
        enough: quorum,
        ask: (node) => node.isKnown(tx),
        decide({ answers }) {
          const known = answers.filter(([, isKnown]) => isKnown).length
          return known >= quorum ? true : answers.length - known >= quorum ? false : undefined
        },
        otherwise(heard) {
          if (heard.answers.length < quorum) throw tooFew(`transaction ${tx}`, heard)
          // Mempools differ. What too few have is sent again, which does no harm.
          return false
        },
      })
    },
    outcome: (tx) =>
      lasting(
        `the receipt of ${tx}`,
        (node) => node.outcome(tx),
        (outcome) => outcome,
      ),
    /** Gets to everyone. One who takes everything must not hide that the others refuse. */
    async broadcast(raw) {
      await hear<void, true>(pool, {
        enough: quorum,
        everyone: true,
        async ask(node) {
          try {
            await node.broadcast(raw)
          } catch (error) {
            if (!(error instanceof NodeRefusal) || verdictOf(error) !== 'accepted') throw error
          }
        },
        decide: () => true,
        otherwise({ answers, failures }) {
          const refusal = commonRefusal(failures.flatMap(({ error }) => (error instanceof NodeRefusal ? [error] : [])))
          if (refusal !== undefined) throw answers.length === 0 ? refusal : new PartialRefusal(refusal)
          if (answers.length === 0) throw noAgreement('eth_sendRawTransaction', 1, [], failures)
          return true
        },
      })
    },
    close() {
      isClosed = true
      for (const { node } of providers) node.close()
    },
  }
}

function keyOfLogs(logs: readonly NodeLog[]): string {
  const keys = logs.map((log) => [log.address, log.topics, log.data, log.blockHeight, log.blockHash, log.tx, log.logIndex].join(' '))
  return keys.sort().join('\n').toLowerCase()
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** As those of honest providers are that look at neighbouring blocks. */
function areClose(ascending: readonly bigint[]): boolean {
  return (ascending.at(-1) ?? 0n) <= 2n * (ascending[0] ?? 0n) + 2n
}

function textOf<T>(answer: T): string {
  return String(answer).toLowerCase()
}
