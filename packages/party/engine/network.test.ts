/** Tests that each node is verified before it is used, and that a dead one blocks no other. */
import { createServer } from 'node:net'
import type { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type EvmChain, startEvmChain } from '@tandem/evm/local/evm-chain.ts'
import { environments, localChains } from '@tandem/families/registry.ts'
import { afterEach, expect, test } from 'vitest'
import { connectNetwork, createNetwork, type NetworkSettings } from './network.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function startChain(chainId: number, port = 0): Promise<EvmChain> {
  const chain = await startEvmChain({ chainId, port })
  cleanups.push(() => chain.close())
  return chain
}

function quietPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

const settingsFor = (urls: Readonly<Record<string, string>>): NetworkSettings => ({
  rows: environments.local,
  chains: Object.fromEntries(Object.entries(urls).map(([chain, rpc]) => [chain, { endpoints: { rpc: [rpc] } }])),
  deployments: {},
})

async function connect(settings: NetworkSettings) {
  const silent: [string, ChainFailure][] = []
  const network = await connectNetwork(settings, (chain, error) => void silent.push([chain, error]))
  cleanups.push(() => network.close())
  return { network, silent }
}

test('an unreachable node is reported and does not block the others; it is verified when it answers', async () => {
  const [ethereum, port] = [await startChain(31337), await quietPort()]
  const settings = settingsFor({ ethereum_localnet: ethereum.rpcUrl, arbitrum_localnet: `http://127.0.0.1:${port}` })
  const { network, silent } = await connect(settings)
  expect(silent).toEqual([['arbitrum_localnet', expect.objectContaining({ kind: 'unreachable' })]])
  expect((await network.clients.get('ethereum_localnet')?.tip())?.height).toBeTypeOf('bigint')
  const late = network.clients.get('arbitrum_localnet')
  await expect(late?.tip()).rejects.toMatchObject({ kind: 'unreachable' })

  const wrong = await startChain(1, port)
  await expect(late?.tip()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('the node serves evm:1') })
  await wrong.close()
  await startChain(31338, port)
  expect((await late?.tip())?.height).toBeTypeOf('bigint')
})

test('a node of another chain is not connected to', async () => {
  const chain = await startChain(1)
  await expect(connect(settingsFor({ ethereum_localnet: chain.rpcUrl }))).rejects.toThrow('the node serves evm:1, expected evm:31337')
})

test("the whole environment is listed, and the configured chains are served, with the operator's limits", async () => {
  const eth = { htlc: '0x0000000000000000000000000000000000000001' }
  const { registry, clients } = await createNetwork({
    ...settingsFor({ ethereum_localnet: 'http://127.0.0.1:1' }),
    deployments: { 'ethereum_localnet:eth': eth, 'arbitrum_localnet:eth': eth },
    limits: { 'ethereum_localnet:eth': { max: 7n }, 'arbitrum_localnet:eth': { min: 5n, max: 6n } },
  })
  expect(registry.chains.map((chain) => chain.id)).toEqual(localChains.map((chain) => chain.id))
  expect([...clients.keys()]).toEqual(['ethereum_localnet'])
  expect(registry.asset('ethereum_localnet:eth')).toMatchObject({ minAmount: 1_000_000_000_000_000n, maxAmount: 7n })
  expect(() => registry.asset('arbitrum_localnet:eth')).toThrow('does not serve')
  expect(registry.assets.find((asset) => asset.id === 'arbitrum_localnet:eth')).toMatchObject({ minAmount: 5n, maxAmount: 6n })
  expect(registry.assets.find((asset) => asset.id === 'ethereum_localnet:usdc')).toMatchObject({ maxAmount: 100_000_000_000n })
})

test('the operator sets the deposit tolerance, only on chains with partial deposits', async () => {
  const settings = (chain: string, depositToleranceBips: number): NetworkSettings => ({
    rows: environments.local,
    chains: { [chain]: { endpoints: { rpc: ['http://127.0.0.1:1'] }, depositToleranceBips } },
    deployments: {},
  })
  const { registry } = await createNetwork(settings('bitcoin_regtest', 50))
  expect(registry.chain('bitcoin_regtest').deposits).toMatchObject({ toleranceBips: 50 })
  expect(registry.chain('litecoin_regtest').deposits).toMatchObject({ toleranceBips: 300 })
  await expect(createNetwork(settings('ethereum_localnet', 50))).rejects.toThrow('funded once')
})

test('one token under two names is refused, also if only the deployments name it', async () => {
  const [htlc, token] = ['0x0000000000000000000000000000000000000001', '0x00000000000000000000000000000000000000aB']
  const deployments = {
    'ethereum_localnet:wbtc': { htlc, token },
    'ethereum_localnet:usdc': { htlc, token: token.toLowerCase() },
  }
  await expect(createNetwork({ ...settingsFor({ ethereum_localnet: 'http://127.0.0.1:1' }), deployments })).rejects.toThrow(
    'ethereum_localnet:usdc and ethereum_localnet:wbtc are both the token 0x00000000000000000000000000000000000000ab',
  )
})
