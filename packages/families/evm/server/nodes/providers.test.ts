/** Tests swaps over several EVM providers that fail in ways of EVM nodes. The conformance suite has those of every family. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { watchOnly } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { honest } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEvmFixture } from '../evm.fixture.ts'
import { evm } from '../index.ts'
import { behindBy, lyingAbout, refusing, startTestProvider, type TestProvider } from './provider.fixture.ts'

const fixture = opened(createEvmFixture)
let providers: readonly [TestProvider, TestProvider, TestProvider]
const clients: ChainClient[] = []

beforeAll(async () => {
  providers = [await startTestProvider(fixture.local), await startTestProvider(fixture.local), await startTestProvider(fixture.local)]
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await Promise.all(providers.map((provider) => provider.close()))
})
beforeEach(() => {
  for (const provider of providers) {
    provider.behave(honest)
    provider.setOffline(false)
    provider.setDelay(0)
    provider.asked.length = 0
  }
})

const troubles: string[] = []
function connect(quorum: number, through: readonly TestProvider[] = providers): ChainClient {
  troubles.length = 0
  const rpc = through.map(({ url }) => `${url}/a-key-in-the-path`)
  const { chain, assets } = fixture
  const client = evm.connect(chain, { assets, endpoints: { rpc }, quorum, onTrouble: (what) => troubles.push(what) })
  clients.push(client)
  return client
}
const hostOf = ({ url }: TestProvider) => new URL(url).host

function newTerms(): HtlcTerms {
  return {
    asset: `${fixture.chain.id}:eth` as AssetId,
    initiator: fixture.solver.address,
    redeemer: fixture.user.address,
    amount: 1_000n,
    timelock: 600n,
    secretHash: hashSecret(createSecret()),
  }
}

async function swapThrough(client: ChainClient): Promise<readonly string[]> {
  const terms = newTerms()
  await client.verifyNode()
  const from = (await client.tip()).height
  await client.initiate(terms, createMemoryOutbox(fixture.solver.signer).open('initiate'))
  await fixture.mine()
  const { height } = await client.tip()
  expect(height).toBe(from + 1n)
  return (await client.events(watchOnly(client, terms), height, height)).map(({ kind }) => kind)
}

describe.each([1, 2])('with a quorum of %i, a swap goes on', (quorum) => {
  it('when a provider is dead, whose URL stays secret', async () => {
    providers[0].setOffline(true)
    expect(await swapThrough(connect(quorum))).toEqual(['initiated'])
    expect(troubles[0]).toContain(`${hostOf(providers[0])} is suspended for a while`)
    expect(troubles.join()).not.toContain('a-key-in-the-path')
  })

  it('when a provider limits requests', async () => {
    providers[0].behave(refusing(-32005, 'daily request count exceeded, request rate limited'))
    expect(await swapThrough(connect(quorum))).toEqual(['initiated'])
    expect(troubles[0]).toContain('limits our requests; waiting 1 s')
  })

  it('when a provider is far behind, or just by a block', async () => {
    await fixture.mine(30)
    for (const blocks of [30n, 1n]) {
      providers[1].behave(behindBy(blocks))
      expect(await swapThrough(connect(quorum))).toEqual(['initiated'])
    }
  })

  it('when a provider drops transactions', async () => {
    providers[0].behave((method, params, ask) => (method === 'eth_sendRawTransaction' ? `0x${'00'.repeat(32)}` : ask(method, params)))
    expect(await swapThrough(connect(quorum))).toEqual(['initiated'])
  })
})

it('a provider that does not answer delays a request only until another has answered', async () => {
  const client = connect(1)
  await client.verifyNode()
  providers[0].setDelay(60_000)
  const { height } = await client.tip()
  expect(await client.headers([height])).toMatchObject([{ height }])
  expect(troubles[0]).toContain('slow')
})

it('the chain of every provider is checked, not just of the first', async () => {
  providers[2].behave(lyingAbout({ eth_chainId: () => '0x5' }))
  await expect(connect(1).verifyNode()).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringContaining(`${hostOf(providers[2])} serves evm:5, expected evm:31337`),
  })
})

it('the report shows for each provider which chain it serves, its height and how far back its logs go', async () => {
  await fixture.mine(10)
  const chain = { ...fixture.chain, blockMs: 5_000n }
  const { assets } = fixture
  const client = evm.connect(chain, { assets, endpoints: { rpc: providers.map(({ url }) => url) }, quorum: 2 })
  clients.push(client)
  const { height } = await client.tip()
  providers[1].behave(behindBy(9n))
  providers[2].behave((method, params, ask) => {
    const isRefused = method === 'eth_getLogs' || params[0] === 'safe'
    return (isRefused ? refusing(4444, 'pruned history unavailable') : honest)(method, params, ask)
  })
  const named = (provider: TestProvider) => ({ name: hostOf(provider), error: null, isLate: false, hasOldEvents: true })
  expect(await client.inspectProviders?.()).toEqual([
    { ...named(providers[0]), height, behind: 0n, tags: ['safe', 'finalized'] },
    { ...named(providers[1]), height: height - 9n, behind: 9n, isLate: true, tags: ['safe', 'finalized'] },
    { ...named(providers[2]), height, behind: 0n, hasOldEvents: false, tags: ['finalized'] },
  ])
  providers[0].setOffline(true)
  providers[1].behave(lyingAbout({ eth_chainId: () => '0x5' }))
  expect(await client.inspectProviders?.()).toMatchObject([
    { error: expect.stringContaining('eth_chainId') },
    { error: 'serves evm:5, expected evm:31337' },
    { error: null },
  ])
})
