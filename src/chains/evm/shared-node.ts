/** One node made of several providers: it goes on when some are dead, slow or behind, and with a quorum when some of them lie. */
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure } from '../family.ts'
import { createAgreedTip } from './agreed-tip.ts'
import { agree, type Heard, hearAll, hearEnough, noAgreement, type Question, refusalAmong } from './agreement.ts'
import { chainIdOf } from './htlc.ts'
import { type EvmNode, keyOfBlock, type NodeLog } from './node.ts'
import { createProviderPool, type Provider } from './provider-pool.ts'

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

  /** Of states that may change with every block: answers may differ for a moment, and no one is to blame for it. */
  const current = <T>(what: string, ask: (node: EvmNode) => Promise<T>, keyOf = textOf<T>) =>
    agree(pool, quorum, { what, ask, keyOf, isLasting: false })
  const lasting = <T>(what: string, ask: (node: EvmNode) => Promise<T>, keyOf: Question<T>['keyOf']) =>
    agree(pool, quorum, { what, ask, keyOf, isLasting: true })

  const hear = <T>(ask: (node: EvmNode) => Promise<T>) => hearEnough(pool, quorum, ask)
  const tooFew = (what: string, { answers, failures }: Heard<unknown>) =>
    noAgreement(what, quorum, [answers.map(([provider]) => provider)], failures)

  /** Each has its own opinion. Fewer than `quorum` of them lie, so that one in this place is not below all honest ones. */
  async function modest(what: string, ask: (node: EvmNode) => Promise<bigint>): Promise<bigint> {
    if (quorum === 1) return current(what, ask)
    const heard = await hear(ask)
    const answer = heard.answers.map(([, value]) => value).sort(ascending)[quorum - 1]
    if (answer !== undefined) return answer
    throw refusalAmong(heard.failures) ?? tooFew(what, heard)
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
    block: (height) => (height === 'latest' ? tip.read() : lasting(`block ${height}`, (node) => node.block(height), keyOfBlock)),
    async finalHeight(tag) {
      if (quorum === 1) return current(`the ${tag} block`, (node) => node.finalHeight(tag))
      const heard = await hear((node) => node.finalHeight(tag))
      if (heard.answers.length < quorum) throw tooFew(`the ${tag} block`, heard)
      const heights = heard.answers.flatMap(([, height]) => height ?? []).sort(ascending)
      // So many say that it is final. Where fewer know the tag at all, the most careful of them is heard.
      return heights.at(-quorum) ?? heights[0] ?? null
    },
    code: (address) => current(`the code of ${address}`, (node) => node.code(address)),
    logs: (query) =>
      lasting(
        'blockHash' in query ? `logs of block ${query.blockHash}` : `logs of blocks ${query.from} to ${query.to}`,
        (node) => node.logs(query),
        keyOfLogs,
      ),
    call: (call) => current(`a call of ${call.to}`, (node) => node.call(call)),
    estimateGas: (call) => modest(`the gas for a call of ${call.to}`, (node) => node.estimateGas(call)),
    balance: (address) => current(`the balance of ${address}`, (node) => node.balance(address)),
    transactionCount: (address) => current(`the nonce of ${address}`, (node) => node.transactionCount(address)),
    priorityFee: () => modest('the priority fee', (node) => node.priorityFee()),
    gasPrice: () => modest('the gas price', (node) => node.gasPrice()),
    async isKnown(tx) {
      if (quorum === 1) return current(`transaction ${tx}`, (node) => node.isKnown(tx))
      const heard = await hear((node) => node.isKnown(tx))
      if (heard.answers.length < quorum) throw tooFew(`transaction ${tx}`, heard)
      // Mempools differ. What too few have is sent again, which does no harm.
      return heard.answers.filter(([, isKnown]) => isKnown).length >= quorum
    },
    outcome: (tx) =>
      lasting(
        `the receipt of ${tx}`,
        (node) => node.outcome(tx),
        (outcome) => outcome,
      ),
    async broadcast(raw) {
      const { answers, failures } = await hearAll(pool, pool.ranked(), (node) => node.broadcast(raw), 1)
      if (answers.length === 0) throw refusalAmong(failures) ?? noAgreement('eth_sendRawTransaction', 1, [], failures)
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

function textOf<T>(answer: T): string {
  return String(answer).toLowerCase()
}
