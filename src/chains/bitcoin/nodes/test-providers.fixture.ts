/** Three Core nodes of one local chain, for the conformance suite. */
import type { Chain } from '../../../protocol/chain.ts'
import { startTestProviders, type TestProviders } from '../../testing/providers.fixture.ts'
import { bitcoin } from '../index.ts'
import { networkOf } from '../networks.ts'
import { type Behaviour, forgedBlock, forgedDeposit, hidingTransactions, honest, startTestNode, stoppedAt } from './test-node.fixture.ts'

export function openTestProviders(chain: Chain, rpcUrl: string): Promise<TestProviders> {
  const connect = (urls: readonly string[], options: Parameters<TestProviders['connect']>[1]) =>
    bitcoin.connect(chain, { assets: [], endpoints: { rpc: urls }, ...options })
  const network = networkOf(chain.reference)
  const addressOf = connect([rpcUrl], {}).swapId
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
        case 'forges-initiation': {
          const deposit = { address: addressOf(how.terms), amount: how.terms.amount, network }
          return forgedDeposit({ ...how.newest, height: Number(how.newest.height) }, deposit)
        }
        case 'hides-events':
          return hidingTransactions
      }
    },
  })
}
