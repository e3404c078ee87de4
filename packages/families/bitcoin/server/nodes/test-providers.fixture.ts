/** Starts three Core nodes of one local chain, for the conformance suite. */
import { type ConnectProviders, startTestProviders, type TestProviders } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { networkOf } from '../../terms/networks.ts'
import { bitcoin } from '../index.ts'
import {
  type Behaviour,
  forgedBlock,
  forgedDeposit,
  hidingTransactions,
  honest,
  shownOutput,
  startTestNode,
  stoppedAt,
} from './test-node.fixture.ts'

export function openTestProviders(chain: Chain, rpcUrl: string): Promise<TestProviders> {
  const connect: ConnectProviders = (urls, options) => bitcoin.connect(chain, { assets: [], endpoints: { rpc: urls }, ...options })
  const network = networkOf(chain.reference)
  const addressOf = connect([rpcUrl], {}).swapId
  const depositOf = (terms: HtlcTerms) => ({ address: addressOf(terms), amount: terms.amount, network })
  const onCore = (block: Block) => ({ ...block, height: Number(block.height) })
  return startTestProviders<Behaviour>({
    start: () => startTestNode(rpcUrl),
    connect,
    honest,
    behaviours: {
      'stops-at': ({ newest }) => stoppedAt(onCore(newest)),
      'forges-block': ({ block }) => forgedBlock(block, network),
      'forges-initiation': ({ terms, newest }) => forgedDeposit(onCore(newest), depositOf(terms)),
      'hides-events': () => hidingTransactions,
      'shows-htlc': ({ terms, as }) => shownOutput(as === 'open' ? depositOf(terms) : null),
    },
  })
}
