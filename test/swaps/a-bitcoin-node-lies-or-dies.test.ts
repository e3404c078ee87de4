/** Tests swaps while a Bitcoin node forges a deposit, stops or dies. */
import { forgedDeposit, honest, startTestNode, stoppedAt, type TestNode } from '@tandem/bitcoin/server/nodes/test-node.fixture.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { openStory } from './story.ts'

const BITCOIN = 'bitcoin_regtest:btc'
const WRAPPED = 'ethereum_localnet:wbtc'
const AMOUNT = 1_000_000n

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }))
/** The first of these Bitcoin Core nodes lies. */
let cores: readonly [TestNode, TestNode]
let esplora: TestNode
beforeAll(async () => {
  const { rpcUrl, esploraUrl } = story.bitcoinChain()
  cores = [await startTestNode(rpcUrl), await startTestNode(rpcUrl)]
  esplora = await startTestNode(esploraUrl)
})
afterAll(async () => {
  await Promise.all([...cores, esplora].map((node) => node.close()))
})

type Nodes = { readonly rpc: readonly TestNode[]; readonly esplora?: readonly TestNode[] }

async function restart({ rpc, esplora: servers = [] }: Nodes, quorum: number): Promise<void> {
  const endpoints = { rpc: rpc.map(({ url }) => url), ...(servers.length > 0 && { esplora: servers.map(({ url }) => url) }) }
  for (const party of ['service', 'solver'] as const)
    await story.restart(party, ({ chains }) => Object.assign(chains.bitcoin_regtest, { endpoints, quorum }))
}

const newest = () => ({ height: story.bitcoinChain().height, hash: story.bitcoinChain().tipHash })

function forge({ to = '' }: CreatedOrder): void {
  cores[0].behave(forgedDeposit(newest(), { address: to, amount: AMOUNT, network: networkOf('bitcoin:regtest') }))
}

test('a solver with one node pays for a deposit that the node forges', async () => {
  await restart({ rpc: [cores[0]] }, 1)
  const created = await story.order(BITCOIN, WRAPPED, AMOUNT)
  forge(created)
  await story.untilSigned('solver', created.order_id, 'initiate destination')
})

test('with a quorum of two out of three it pays nothing for a forged deposit, and pays for real ones', async () => {
  cores[0].behave(honest)
  // The chain must pass the height of the forged block.
  story.bitcoinChain().mine(2)
  await restart({ rpc: cores, esplora: [esplora] }, 2)
  const invented = await story.order(BITCOIN, WRAPPED, AMOUNT)
  const funded = await story.order(BITCOIN, WRAPPED, AMOUNT)
  forge(invented)
  const before = cores[0].asked.length
  await story.bitcoin().pay(funded.to ?? '', AMOUNT)
  await story.untilStatus(funded.order_id, 'counterparty_redeemed')
  for (const party of ['service', 'solver'] as const) {
    expect(await story.seen(party, invented.order_id)).toEqual(new Set())
    expect(await story.signed(party, invented.order_id)).toEqual(new Map())
  }
  expect(cores[0].asked.slice(before)).toContain('getbestblockhash')
})

test('when one node stops syncing, swaps complete in both directions', async () => {
  cores[0].behave(stoppedAt(newest()))
  const [paid, got] = [await story.order(BITCOIN, WRAPPED, AMOUNT), await story.order(WRAPPED, BITCOIN, AMOUNT)]
  await story.bitcoin().pay(paid.to ?? '', AMOUNT)
  await story.evm('ethereum_localnet').fund(got)
  await story.untilStatus(paid.order_id, 'counterparty_redeemed')
  await story.untilStatus(got.order_id, 'counterparty_redeemed')
})

test('when a node dies during a swap, the swap completes through the others', async () => {
  cores[0].behave(honest)
  const created = await story.order(BITCOIN, WRAPPED, AMOUNT)
  esplora.setOffline(true)
  await story.bitcoin().pay(created.to ?? '', AMOUNT)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
})
