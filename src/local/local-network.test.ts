import { afterEach, expect, test } from 'vitest'
import { bitcoinLocal, plugIn } from '../../devnet/bitcoin/local.ts'
import { evmLocal } from '../../devnet/evm/local.ts'
import type { LocalChain } from '../../devnet/local-chain.ts'
import type { Chain } from '../protocol/chain.ts'
import { chooseChains } from './choose-chains.ts'
import { createLocalKeys } from './local-keys.ts'
import { type LocalNetwork, startLocalNetwork } from './local-network.ts'

const [bitcoin, litecoin] = chooseChains(['bitcoin', 'litecoin']) as [Chain, Chain]
const keys = createLocalKeys()

let network: LocalNetwork | null = null
afterEach(async () => {
  await network?.close()
  network = null
})

/** A chain that the network did not start; `closed` counts how often it was closed. */
function runningChain(chain: Chain): LocalChain & { closed: number } {
  const node = {
    rpcUrl: 'http://127.0.0.1:1',
    esploraUrl: null,
    faucet: async () => 'tx',
    mine: () => undefined,
    close: async () => undefined,
  }
  const running = {
    ...plugIn(chain, node),
    closed: 0,
    async close() {
      running.closed += 1
    },
  }
  return running
}

test('a simulator is found by its chain and family, and by nothing else', async () => {
  network = await startLocalNetwork(keys, { chains: [bitcoin], mining: 'instant' })
  const simulator = network.control('bitcoin_regtest', bitcoinLocal)
  const { height } = simulator
  simulator.mine(2)
  expect(simulator.height).toBe(height + 2)
  expect(() => network?.control('bitcoin_regtest', evmLocal)).toThrow('did not start bitcoin_regtest as a chain of the family evm')
  expect(() => network?.control('litecoin_regtest', bitcoinLocal)).toThrow('did not start litecoin_regtest')
})

test('a chain that already runs is used and closed with the others, but has no simulator control', async () => {
  const running = runningChain(bitcoin)
  network = await startLocalNetwork(keys, { chains: [bitcoin], mining: 'instant', running: { bitcoin_regtest: running } })
  expect(network.endpoints).toEqual({ bitcoin_regtest: { endpoints: { rpc: 'http://127.0.0.1:1' } } })
  expect(() => network?.control('bitcoin_regtest', bitcoinLocal)).toThrow('did not start')
  await network.close()
  network = null
  expect(running.closed).toBe(1)
})

test('if one chain does not start, the others are closed', async () => {
  const running = runningChain(bitcoin)
  const broken = { ...litecoin, reference: 'litecoin:moon' }
  const starting = startLocalNetwork(keys, { chains: [bitcoin, broken], mining: 'instant', running: { bitcoin_regtest: running } })
  await expect(starting).rejects.toThrow('there is no simulator of litecoin:moon')
  expect(running.closed).toBe(1)
})
