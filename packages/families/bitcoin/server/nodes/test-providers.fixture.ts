/** Three Core nodes of one local chain, for the conformance suite. */

import { startTestProviders, type TestProviders } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
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
  const connect = (urls: readonly string[], options: Parameters<TestProviders['connect']>[1]) =>
    bitcoin.connect(chain, { assets: [], endpoints: { rpc: urls }, ...options })
  const network = networkOf(chain.reference)
  const addressOf = connect([rpcUrl], {}).swapId
  const depositOf = (terms: HtlcTerms) => ({ address: addressOf(terms), amount: terms.amount, network })
  return startTestProviders<Behaviour>({
    start: () => startTestNode(rpcUrl),
    connect,
    honest,
    behaviourOf(how) {
      switch (how.kind) {
        case 'stops-at':
          return stoppedAt({ ...how.newest, height: Number(how.newest.height) })
        case 'forges-block':
          return forgedBlock(how.block, network)
        case 'forges-initiation':
          return forgedDeposit({ ...how.newest, height: Number(how.newest.height) }, depositOf(how.terms))
        case 'hides-events':
          return hidingTransactions
        case 'shows-htlc':
          return shownOutput(how.as === 'open' ? depositOf(how.terms) : null)
      }
    },
  })
}
