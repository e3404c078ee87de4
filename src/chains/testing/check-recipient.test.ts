/** No family needs the ability yet: its suite runs on a simulated one, whose accounts must exist before they can receive. */
import { localChains } from '../../protocol/registry/local.ts'
import { createFakeChain } from '../../service/testing/fake-chain.fixture.ts'
import { checkRecipientSuite } from './abilities/check-recipient.ts'

const chain = localChains.find(({ id }) => id === 'ethereum_localnet')
if (chain === undefined) throw new Error('the local network has no ethereum_localnet')
const existing = `0x${'a'.repeat(40)}`

checkRecipientSuite({
  user: { address: existing },
  fixture: {
    client: {
      ...createFakeChain(chain, 'account'),
      checkRecipient: async (address) => (address === existing ? null : 'the account does not exist yet'),
    },
    asset: 'ethereum_localnet:wbtc',
    incapableRecipient: async () => `0x${'b'.repeat(40)}`,
  },
})
