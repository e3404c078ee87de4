/** Tests swaps while an EVM provider forges a deposit or dies. */
import { honest } from '@tandem/chain-kit/testing/providers.fixture.ts'
import { forgedInitiation, startTestProvider, type TestProvider } from '@tandem/evm/server/nodes/provider.fixture.ts'
import { createContracts } from '@tandem/evm/terms/htlc.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { openStory } from './story.ts'

const ETHER = 'ethereum_localnet:eth'
const DOLLARS = 'arbitrum_localnet:usdc'
const AMOUNT = 300_000_000_000_000_000n

const story = opened(() => openStory({ chains: ['ethereum_localnet', 'arbitrum_localnet'] }))
let providers: readonly [TestProvider, TestProvider, TestProvider]
beforeAll(async () => {
  const chain = story.evmChain('ethereum_localnet')
  providers = [await startTestProvider(chain), await startTestProvider(chain), await startTestProvider(chain)]
})
afterAll(async () => {
  await Promise.all(providers.map((provider) => provider.close()))
})

const restart = (party: 'service' | 'solver', rpc: readonly TestProvider[], quorum: number) =>
  story.restart(party, ({ chains }) => {
    chains.ethereum_localnet = { endpoints: { rpc: rpc.map(({ url }) => url) }, quorum }
  })

/** The forged deposit is in a block that is new to the solver. */
async function forge({ order_id }: CreatedOrder): Promise<void> {
  const chain = story.evmChain('ethereum_localnet')
  await chain.request({ method: 'evm_mine' })
  const { number, hash } = (await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as {
    number: string
    hash: string
  }
  const { source_swap: swap } = (await story.api.order(order_id)) as OrderRecord
  const terms = {
    asset: ETHER,
    initiator: swap.initiator,
    redeemer: swap.redeemer,
    amount: BigInt(swap.amount),
    timelock: BigInt(swap.timelock),
    secretHash: swap.secret_hash,
  } as const
  const asset = localAssets.find(({ id }) => id === ETHER)
  const registered = localChains.find(({ id }) => id === 'ethereum_localnet')
  const deployment = story.stack.network.deployments[ETHER]
  if (asset === undefined || registered === undefined || deployment === undefined) throw new Error('ether is not a local asset')
  const contract = createContracts(registered, [{ ...asset, deployment }]).of(ETHER)
  providers[0].behave(forgedInitiation(contract, terms, { height: BigInt(number), hash }))
}

const fund = (order: CreatedOrder) => story.evm('ethereum_localnet').fund(order)

test('a solver with one provider pays for a deposit that the provider forges', async () => {
  const created = await story.order(ETHER, DOLLARS, AMOUNT)
  await story.stack.solver.setRunning(false)
  await forge(created)
  await restart('solver', [providers[0]], 1)
  await story.untilSigned('solver', created.order_id, 'initiate destination')
})

test('with a quorum of two out of three it pays nothing for a forged deposit, and pays for real ones', async () => {
  providers[0].behave(honest)
  await restart('service', providers, 2)
  await restart('solver', providers, 2)
  const invented = await story.order(ETHER, DOLLARS, AMOUNT)
  const funded = await story.order(ETHER, DOLLARS, AMOUNT)
  await story.stack.solver.setRunning(false)
  await forge(invented)
  await story.stack.solver.setRunning(true)
  // This deposit is in a later block than the forged one: a solver that has seen it has read that block.
  await fund(funded)
  await story.untilStatus(funded.order_id, 'counterparty_redeemed')
  expect(await story.seen('solver', invented.order_id)).toEqual(new Set())
  expect(await story.signed('solver', invented.order_id)).toEqual(new Map())
  expect(providers[0].asked).toContain('eth_getLogs')
})

test('when a provider dies during a swap, the swap completes through the others', async () => {
  providers[0].behave(honest)
  const created = await story.order(ETHER, DOLLARS, AMOUNT)
  providers[1].setOffline(true)
  await fund(created)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
})
