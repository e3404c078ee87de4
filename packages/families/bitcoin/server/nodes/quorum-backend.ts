/**
 * Makes one backend over several nodes, Core and Esplora mixed. It works while some are dead or behind, and with a quorum while some of
 * them lie.
 * Headers need a quorum; the content of a block does not, because its header proves it. Data that no block proves (unconfirmed
 * transactions, whether an output is unspent, the coins of an address) need a quorum too.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createAgreedBlocks } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import { poll } from '@tandem/chain-kit/providers/poll.ts'
import type { Provider } from '@tandem/chain-kit/providers/pool.ts'
import { isRefusedByAll, noAgreement, type Question, type Quorum } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { isUnreachable, Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { equal, failover, mostFrequent, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { networkProblem } from '../../terms/nodes/verify-network.ts'
import { proveBlock } from '../blocks/prove-block.ts'
import { type BlockSource, scanBlock, scanBlocks } from '../blocks/scan-blocks.ts'
import type { SeenTransaction } from '../events.ts'
import {
  coinsRule,
  feeRateRule,
  keyOfContent,
  outputRule,
  placeRule,
  spenderRule,
  unconfirmedFeeRule,
  unconfirmedRule,
} from './agreement.ts'
import type { BitcoinBackend, BitcoinNode, BroadcastResult, Coin } from './backend.ts'
import { classifyRejection } from './rejection.ts'

export type BitcoinProvider = Provider<BitcoinNode> & { readonly kind: 'rpc' | 'esplora' }

export type QuorumOptions = {
  /** This many nodes must agree where money depends on it. We are safe while fewer than this many lie. */
  readonly quorum: number
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

/** Blocks take minutes to be mined and seconds to propagate: a node that lacks two is stuck. */
export const ALLOWED_LAG = 1n

export function createQuorumBackend(
  chain: Pick<Chain, 'id'>,
  network: BitcoinNetwork,
  providers: readonly BitcoinProvider[],
  { quorum: size, ...options }: QuorumOptions,
): BitcoinBackend {
  const open = (some: readonly BitcoinProvider[]) =>
    openQuorum<BitcoinNode>(chain.id, some, { size, problemOf: (node) => networkProblem(network, node), ...options })
  const quorum = open(providers)
  const blocks = createAgreedBlocks(quorum, {
    newest: (node) => node.tip(),
    all: (node, heights) => node.headers(heights),
    keyOf: ({ height, hash, parentHash, time }) => [height, hash, parentHash, time].join(' '),
    heightsMaySkip: false,
    allowedLag: ALLOWED_LAG,
  })
  const indexes = providers.filter(({ kind }) => kind === 'esplora')
  const indexed = indexes.length >= size ? open(indexes) : null
  const coinsOf = createQuorumCoins(quorum, indexed)

  /** Failover is enough: the hash of the block proves each answer. */
  function rawBlock(hash: string): Promise<Uint8Array> {
    const ask = async (node: BitcoinNode) => {
      const bytes = await node.rawBlock(hash)
      if (bytes === null) throw new Refusal(0, `it does not serve block ${hash}`)
      return proveBlock(bytes, hash).bytes
    }
    return failover<Uint8Array>()(quorum, { what: `block ${hash}`, ask })
  }

  const proven: BlockSource = { blockHashAt: async (height) => (await blocks.at(height))?.hash ?? null, rawBlock }

  type Question = { readonly what: string; readonly ask: (node: BitcoinNode) => Promise<readonly SeenTransaction[]> }

  async function provenOrAgreed(question: Question, scan: () => Promise<readonly SeenTransaction[]>) {
    if (size === 1) return failover<readonly SeenTransaction[]>()(quorum, question)
    try {
      return await scan()
    } catch (error) {
      // No node serves raw blocks. Address histories prove nothing, so a quorum must show the same ones.
      if (error instanceof Refusal) return equal<readonly SeenTransaction[]>({ keyOf: keyOfSeen })(quorum, question)
      throw error
    }
  }

  return {
    ...createQuorumNode(quorum, {
      unconfirmed: () => ['unconfirmed transactions', unconfirmedRule],
      placeOf: (transaction) => [`transaction ${transaction.txid()}`, placeRule],
      output: (outpoint) => [`the output ${outpoint}`, outputRule],
      unspentOutput: (outpoint) => [`the unspent output ${outpoint}`, equal({ keyOf: keyOfContent })],
      spenderOf: (outpoint) => [`the spender of ${outpoint}`, spenderRule],
      contentOf: (outpoint) => [`the content of ${outpoint}`, equal({ keyOf: keyOfContent })],
      unconfirmedFee: (txid) => [`the fee of ${txid}`, unconfirmedFeeRule],
      estimateFeeRate: () => ['the fee rate', feeRateRule],
      // The rate is rounded down: if it is too low, the node refuses the transaction, and we bump the fee.
      minimumFeeRate: () => ['the minimum fee rate', movingNumber('down')],
    }),
    tip: blocks.newest,
    tipHint: blocks.tipHint,
    blockAt: blocks.at,
    headers: blocks.all,
    transactionsIn(watched, from, to) {
      const ask = (node: BitcoinNode) => node.transactionsIn(watched, from, to)
      return provenOrAgreed({ what: `blocks ${from} to ${to}`, ask }, () => scanBlocks(proven, watched, network, from, to))
    },
    transactionsOf(watched, block) {
      const ask = (node: BitcoinNode) => node.transactionsOf(watched, block)
      return provenOrAgreed({ what: `block ${block.hash}`, ask }, () => scanBlock(proven, watched, network, block))
    },
    coinsOf,
    broadcast: (raw) => broadcastToAll(quorum, raw),
    async close() {
      await Promise.all([quorum.close(), indexed?.close()])
    },
  }
}

function keyOfSeen(seen: readonly SeenTransaction[]): string {
  const keys = seen.map(({ transaction, block }) => `${block?.height} ${block?.hash} ${block?.time} ${bytesToHex(transaction.bytes)}`)
  return keys.sort().join('\n')
}

/** A quorum must accept the transaction, or no answering node refuse it: one liar that accepts everything must not hide a refusal. */
function broadcastToAll({ pool, size }: Quorum<BitcoinNode>, raw: string): Promise<BroadcastResult> {
  return poll<BitcoinNode, void, BroadcastResult>(pool, {
    enough: size,
    everyone: true,
    async ask(node) {
      const result = await node.broadcast(raw)
      if (!result.accepted && classifyRejection(result.reason) !== 'known') throw new Refusal(0, result.reason)
    },
    decide: () => ({ accepted: true }),
    otherwise({ answers, failures }) {
      const reasons = failures.flatMap(({ error }) => (error instanceof Refusal ? [error.message] : []))
      // Nodes word their reasons differently.
      const reason = mostFrequent(reasons, classifyRejection)
      const isFinal = answers.length === 0 && isRefusedByAll(failures)
      if (reason !== undefined) return { accepted: false, reason, ...(!isFinal && { isPartlyAccepted: true }) }
      if (answers.length === 0) throw noAgreement('a broadcast', 1, [], failures)
      return { accepted: true }
    },
  })
}

/** Coins come from nodes with an index if a quorum has one, because other nodes first scan the whole UTXO set, for minutes. */
function createQuorumCoins(all: Quorum<BitcoinNode>, indexes: Quorum<BitcoinNode> | null): BitcoinBackend['coinsOf'] {
  return async (address) => {
    const question: Question<BitcoinNode, readonly Coin[]> = {
      what: `the coins of ${address}`,
      ask: (node) => refuseTooMany(node.coinsOf(address)),
    }
    try {
      return indexes === null ? await coinsRule(all, question) : await coinsRule(indexes, question).catch(orAll)
    } catch (error) {
      throw error instanceof Refusal ? new ChainFailure('would-fail', error.message, { cause: error }) : error
    }

    function orAll(error: unknown): Promise<readonly Coin[]> {
      if (error instanceof Refusal || isUnreachable(error)) return coinsRule(all, question)
      throw error
    }
  }
}

/** Some Esplora servers do not list an address with many coins. Another node may, so this counts as a refusal. */
async function refuseTooMany(coins: Promise<readonly Coin[]>): Promise<readonly Coin[]> {
  try {
    return await coins
  } catch (error) {
    throw error instanceof ChainFailure && error.kind === 'would-fail' ? new Refusal(0, error.message) : error
  }
}
