/**
 * One backend over several nodes, Core and Esplora mixed. It works while some are dead or behind, and with a quorum while some of them lie.
 *
 * Headers need a quorum; the content of a block does not, because its header proves it. Data that no block proves (unconfirmed transactions,
 * whether an output is unspent, the coins of an address) need a quorum too.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { createAgreedBlocks } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { equal, failover, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { networkProblem } from '../../terms/nodes/verify-network.ts'
import { proveBlock } from '../blocks/prove-block.ts'
import { type BlockSource, scanBlock, scanBlocks } from '../blocks/scan-blocks.ts'
import type { SeenTransaction } from '../events.ts'
import { feeRateRule, keyOfContent, outputRule, placeRule, spenderRule, unconfirmedFeeRule, unconfirmedRule } from './agreement.ts'
import type { BitcoinBackend, BitcoinNode } from './backend.ts'
import { broadcastToAll } from './broadcast-to-all.ts'
import { createQuorumCoins } from './quorum-coins.ts'

export type BitcoinProvider = Provider<BitcoinNode> & { readonly kind: 'rpc' | 'esplora' }

export type QuorumOptions = {
  /** How many nodes must agree where money depends on it. We are safe while fewer than this many lie. */
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

  /** Failover is enough: each answer is proven by its hash. */
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
      // Round down: if it is too low, the node refuses the transaction, and a fee bump follows.
      minimumFeeRate: () => ['the minimum fee rate', movingNumber('down')],
    }),
    tip: blocks.newest,
    glimpse: blocks.glimpse,
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
