/** The coins of an address: from a quorum of nodes with an index if there are enough of them, else from all nodes. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Question, Quorum } from '@tandem/chain-kit/providers/quorum.ts'
import { isUnreachable, Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { coinsRule } from './agreement.ts'
import type { BitcoinBackend, BitcoinNode, Coin } from './backend.ts'

/** `indexes`: null where too few nodes have an index. The others scan the whole UTXO set first, which takes minutes. */
export function createQuorumCoins(all: Quorum<BitcoinNode>, indexes: Quorum<BitcoinNode> | null): BitcoinBackend['coinsOf'] {
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
