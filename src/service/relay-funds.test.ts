import { expect, test } from 'vitest'
import { createMemoryChain } from '../engine/chain.fixture.ts'
import { createKey, createKeyring } from '../keys/keyring.ts'
import { createLogger } from '../log.ts'
import { localAssets, localChains } from '../protocol/registry/local.ts'
import { createRegistry } from '../protocol/registry/registry.ts'
import { NOW, openTestStore } from '../store/store.fixture.ts'
import { createRelayFunds } from './relay-funds.ts'

const chain = 'ethereum_localnet'

test('orders to a chain need coins for four payouts at four times the current fee, and come back with the coins', async () => {
  const store = await openTestStore()
  try {
    const memory = createMemoryChain(chain, NOW)
    const key = createKey('secp256k1', '11'.repeat(32))
    const world = { balance: 0n, nowMs: 0 }
    const client = {
      ...memory,
      chain: memory.chain,
      balance: async () => world.balance,
      legCost: async () => ({ decimals: 18, initiate: 100n, redeem: 10n, refund: 1n, newRecipient: 3n, kept: 7n }),
    }
    const deployments = { 'ethereum_localnet:wbtc': { htlc: '0x01', token: '0x02' } }
    const funds = createRelayFunds({
      db: store.db,
      registry: createRegistry({ chains: localChains, assets: localAssets, deployments, served: new Set([chain]) }),
      clients: new Map([[chain, client]]),
      relay: createKeyring([key]),
      log: createLogger({ name: 'test', level: 'silent' }),
      nowMs: () => world.nowMs,
    })
    // 7 that it keeps, and 4 × 4 × 10. The account of a new recipient is the solver's to pay.
    world.balance = 166n
    await funds.look(chain)
    expect(() => funds.assertPayable(chain)).toThrow('too little ethereum_localnet:eth to pay for payouts on ethereum_localnet')
    world.balance = 167n
    await funds.look(chain)
    funds.assertPayable(chain)
  } finally {
    await store.close()
  }
})
