/** Tests how the local chains start, are found, get coins and close. */
import { bitcoinLocal, plugIn } from '@tandem/bitcoin/local/local.ts'
import type { LocalChain } from '@tandem/chain-kit/local/local-chain.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { hypercoreLocal } from '@tandem/hypercore/local/local.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { tronLocal } from '@tandem/tron/local/local.ts'
import { fromEvmAddress as toTronAddress } from '@tandem/tron/terms/address.ts'
import { afterEach, expect, test } from 'vitest'
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

/** The network did not start this chain. `closed` counts how often it was closed. */
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

test('the faucet gives every native coin that the registry names', async () => {
  const unlisted = localChains.filter(({ nativeAsset }) => !localAssets.some(({ id }) => id === nativeAsset))
  expect(unlisted.map(({ nativeAsset }) => nativeAsset)).toEqual(['hypercore_localnet:hype', 'tron_localnet:trx', 'starknet_localnet:strk'])
  network = await startLocalNetwork(keys, { chains: unlisted, mining: 'instant' })
  const [hyper, tron] = [network.control('hypercore_localnet', hypercoreLocal), network.control('tron_localnet', tronLocal)]
  const user = `0x${'5a'.repeat(20)}` as const
  await network.fund('hypercore_localnet:hype', user, 3n * 10n ** 18n)
  expect(BigInt(String(await hyper.request({ method: 'eth_getBalance', params: [user, 'latest'] })))).toBe(3n * 10n ** 18n)
  await network.fund('tron_localnet:trx', toTronAddress(user), 7_000_000n)
  const answer = await fetch(`${tron.url}/wallet/getaccount`, { method: 'POST', body: JSON.stringify({ address: `41${user.slice(2)}` }) })
  expect(await answer.json()).toMatchObject({ balance: 7_000_000 })
  await network.fund('starknet_localnet:strk', `0x5${'a'.repeat(60)}`, 1n)
})
