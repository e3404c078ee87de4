/** Three Core nodes of one local chain, for the conformance suite. */
import type { Chain } from '../../../protocol/chain.ts'
import type { Misbehaviour, TestProviders } from '../../testing/providers.fixture.ts'
import { bitcoin } from '../index.ts'
import { networkOf } from '../networks.ts'
import { type Behaviour, forgedBlock, forgedDeposit, hidingTransactions, honest, startTestNode, stoppedAt } from './test-node.fixture.ts'

export async function openTestProviders(chain: Chain, rpcUrl: string): Promise<TestProviders> {
  const nodes = [await startTestNode(rpcUrl), await startTestNode(rpcUrl), await startTestNode(rpcUrl)]
  const of = (provider: number) => {
    const found = nodes[provider]
    if (found === undefined) throw new Error(`there is no provider ${provider}`)
    return found
  }
  const connect: TestProviders['connect'] = (which, options) =>
    bitcoin.connect(chain, { assets: [], endpoints: { rpc: which.map((provider) => of(provider).url) }, ...options })
  const network = networkOf(chain.reference)
  const addressOf = connect([0], {}).swapId

  function behaviourOf(how: Misbehaviour): Behaviour {
    switch (how.kind) {
      case 'dead':
        return honest
      case 'stops-at':
        return stoppedAt({ ...how.newest, height: Number(how.newest.height) })
      case 'forges-block':
        return forgedBlock(how.block)
      case 'forges-initiation': {
        const deposit = { address: addressOf(how.terms), amount: how.terms.amount, network }
        return forgedDeposit({ ...how.newest, height: Number(how.newest.height) }, deposit)
      }
      case 'hides-events':
        return hidingTransactions
    }
  }

  return {
    connect,
    misbehave(provider, how) {
      of(provider).setOffline(how?.kind === 'dead')
      of(provider).behave(how === null ? honest : behaviourOf(how))
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}
