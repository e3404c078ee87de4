/** These tests check nodes, contracts and recipients, and the report to operators, on the local chain. */

import { honest } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { htlcClass } from '../../contract/artifacts/htlc.ts'
import { addressOfFelt, feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { Contracts, HtlcContract } from '../../terms/htlc.ts'
import { checkRecipient } from '../check-recipient.ts'
import { balanceOf, createContractState } from '../contract-state.ts'
import { createFamilyFixture, type FamilyFixture } from '../starknet.fixture.ts'
import { connectNode, inspectNodes } from './connect-node.ts'
import type { Felt, StarknetNode } from './node.ts'
import { lyingAbout, refusing, startTestProvider, stoppedAt, type TestProvider } from './provider.fixture.ts'
import { verifyNode } from './verify-node.ts'

let fixture: FamilyFixture
let providers: readonly [TestProvider, TestProvider]
let node: StarknetNode
beforeAll(async () => {
  fixture = await createFamilyFixture()
  const { chain } = fixture.devnet
  providers = [await startTestProvider(chain), await startTestProvider(chain)]
  node = connectNode(fixture.chain, { endpoints: { rpc: [providers[0].url] } })
})
afterEach(() => {
  for (const provider of providers) {
    provider.behave(honest)
    provider.setOffline(false)
  }
})
afterAll(async () => {
  node?.close()
  await Promise.all((providers ?? []).map((provider) => provider.close()))
  await fixture?.close()
})

const withContract = (changes: Partial<HtlcContract>): Contracts => {
  const contract = { ...fixture.contract, ...changes }
  return { all: [contract], of: () => contract }
}

describe('verification', () => {
  const verify = ({ chain = fixture.chain, contracts = fixture.contracts, classHash = htlcClass.classHash as Felt } = {}) =>
    verifyNode(chain, node, createContractState(node), contracts, classHash)
  const wrong = (message: string) => ({ kind: 'would-fail', message: expect.stringContaining(message) })

  it('passes for our contracts on our chain', async () => {
    await verify()
  })

  it('names what is wrong', async () => {
    const other: Chain = { ...fixture.chain, reference: 'starknet:SN_MAIN' }
    await expect(verify({ chain: other })).rejects.toMatchObject(wrong(`serves ${fixture.chain.reference}, expected starknet:SN_MAIN`))
    await expect(verify({ contracts: withContract({ address: '0x1234' }) })).rejects.toMatchObject(wrong('there is no contract at'))
    await expect(verify({ classHash: '0x1234' })).rejects.toMatchObject(wrong('expected 0x1234'))
    await expect(verify({ contracts: withContract({ token: '0x1234' }) })).rejects.toMatchObject(wrong('expected a token'))
    const strk = feltOf(starknetDataOf(fixture.chain).feeToken)
    await expect(verify({ contracts: withContract({ token: strk }) })).rejects.toMatchObject(wrong('locks'))
    const noFees = { ...fixture.chain, familyData: { ...starknetDataOf(fixture.chain), feeToken: '0x1234' } } as Chain
    await expect(verify({ chain: noFees })).rejects.toMatchObject(wrong('the token that pays fees'))
  })

  it('does not pass for another domain of signatures', async () => {
    providers[0].behave(lyingAbout({ starknet_call: (_, truth) => ((truth as string[])[0] === fixture.contract.token ? truth : ['0x1']) }))
    await expect(verify()).rejects.toMatchObject(wrong('another domain'))
  })
})

describe('a recipient', () => {
  const check = (address: string) => checkRecipient(node, fixture.chain, fixture.contracts, htlcClass.classHash, address)

  it('may be an account, deployed or not, by one request', async () => {
    providers[0].asked.length = 0
    expect(await check(fixture.user.account)).toBeNull()
    expect(await check(addressOfFelt('0xabcdef'))).toBeNull()
    expect(providers[0].asked).toHaveLength(2)
  })

  it('may be no token and no HTLC, of this asset or of another', async () => {
    const { contract, chain } = fixture
    for (const address of [contract.token, starknetDataOf(chain).feeToken])
      expect(await check(address)).toMatch(/is the contract of a token/)
    for (const address of [contract.address, fixture.deployTwin()]) expect(await check(address)).toMatch(/is an HTLC contract/)
    await expect(check('0x0')).rejects.toMatchObject({ code: 'invalid_address' })
  })
})

it('an account that is not deployed may own tokens, and an unknown one owns nothing', async () => {
  const { devnet, chain, contracts, asset } = fixture
  const owner = addressOfFelt('0xfeed')
  const held = (id: typeof asset.id) => balanceOf(createContractState(node), chain, contracts, id, owner)
  expect([await held(asset.id), await held(chain.nativeAsset)]).toEqual([0n, 0n])
  devnet.fund(devnet.wbtc, owner, 5n)
  devnet.fund(devnet.strk, owner, 7n)
  expect([await held(asset.id), await held(chain.nativeAsset)]).toEqual([5n, 7n])
})

it('the report shows for each provider which chain it serves, its height, its events and its tags', async () => {
  const chain = { ...fixture.chain, blockMs: 5_000n }
  const report = () => inspectNodes(chain, { endpoints: { rpc: providers.map(({ url }) => url) } })
  const [first, second] = providers
  fixture.devnet.chain.mine(30)
  const height = (await node.block('latest'))?.height ?? 0n
  const fine = (provider: TestProvider) => ({
    name: new URL(provider.url).host,
    error: null,
    isLate: false,
    hasOldEvents: true,
    tags: ['finalized'],
  })
  second.behave(stoppedAt(height - 9n))
  expect(await report()).toEqual([
    { ...fine(first), height, behind: 0n },
    { ...fine(second), height: height - 9n, behind: 9n, isLate: true },
  ])
  second.behave((method, params, ask) =>
    method === 'starknet_getEvents' || params?.block_id === 'l1_accepted'
      ? refusing(-32_602, 'no')(method, params, ask)
      : ask(method, params),
  )
  expect((await report())[1]).toEqual({ ...fine(second), height, behind: 0n, hasOldEvents: false, tags: [] })
  first.setOffline(true)
  second.behave(lyingAbout({ starknet_specVersion: () => '0.8.1' }))
  expect(await report()).toMatchObject([{ error: expect.any(String) }, { error: expect.stringContaining('speaks version 0.8.1') }])
})
