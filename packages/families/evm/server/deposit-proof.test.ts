/** Tests that a chain has deposit addresses only if a simulated call showed that it executes what they need. */

import { CANCUN, PRAGUE, SHANGHAI } from '@nomicfoundation/edr'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { htlcNative } from '../contract/artifacts/htlc-native.ts'
import { EdrRequestError } from '../local/edr-provider.ts'
import { type EvmChain, startEvmChain } from '../local/evm-chain.ts'
import { createEvmSender } from '../local/evm-sender.ts'
import { controlsOf } from './evm.fixture.ts'
import { evm } from './index.ts'
import { startTestProvider, type TestProvider } from './nodes/provider.fixture.ts'

const close: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const one of close.splice(0).reverse()) await one()
})

async function startChain(hardfork?: string) {
  const key = generatePrivateKey()
  const local: EvmChain = await startEvmChain({ chainId: 31337, keys: [key], ...(hardfork !== undefined && { hardfork }) })
  close.push(() => local.close())
  const htlc = await controlsOf(local, createEvmSender(local, key)).deploy(htlcNative)
  const provider: TestProvider = await startTestProvider(local)
  close.push(() => provider.close())
  const chain = localChains.find((known) => known.reference === 'evm:31337')
  const asset = localAssets.find(({ id }) => id === chain?.nativeAsset)
  if (chain === undefined || asset === undefined) throw new Error('the local registry has no chain evm:31337')
  const troubles: string[] = []
  const client = evm.connect(chain, {
    assets: [{ ...asset, deployment: { htlc, token: null } }],
    endpoints: { rpc: [provider.url] },
    onTrouble: (what) => troubles.push(what),
  })
  close.push(() => client.close())
  return { client, provider, troubles, isProven: () => client.prefund?.isProven?.() }
}

type Call = readonly [method: string, params: readonly unknown[]]
const isProbe = (method: string, params: readonly unknown[]) => method === 'eth_call' && params.length === 3

describe('a chain', () => {
  it.each([PRAGUE, CANCUN])('at %s has deposit addresses once it is verified, which takes one request more', async (hardfork) => {
    const { client, provider, troubles, isProven } = await startChain(hardfork)
    const probes: Call[] = []
    provider.behave(async (method, params, ask) => {
      if (isProbe(method, params)) probes.push([method, params])
      return ask(method, params)
    })
    expect(isProven()).toBe(false)
    await client.verifyNode()
    await client.verifyNode()
    expect(isProven()).toBe(true)
    expect([probes.length, troubles]).toEqual([1, []])
  })

  it('without transient storage has none, and serves all else', async () => {
    const { client, troubles, isProven } = await startChain(SHANGHAI)
    await client.verifyNode()
    expect(isProven()).toBe(false)
    expect(troubles.join()).toMatch(/no deposit addresses.*EIP-1153/)
    expect((await client.tip()).height).toBeGreaterThan(0n)
  })
})

describe('a node that', () => {
  it('ignores state overrides proves nothing', async () => {
    const { client, provider, isProven } = await startChain()
    provider.behave(async (method, params, ask) => ask(method, isProbe(method, params) ? params.slice(0, 2) : params))
    await client.verifyNode()
    expect(isProven()).toBe(false)
  })

  it('refuses state overrides proves nothing', async () => {
    const { client, provider, isProven } = await startChain()
    provider.behave(async (method, params, ask) => {
      if (isProbe(method, params)) throw new EdrRequestError({ code: -32_602, message: 'too many arguments, want at most 2' })
      return ask(method, params)
    })
    await client.verifyNode()
    expect(isProven()).toBe(false)
  })

  it('does not credit the owner of a destroyed account proves nothing', async () => {
    const { client, provider, isProven } = await startChain()
    provider.behave(async (method, params, ask) => (isProbe(method, params) ? `0x${'0'.repeat(64)}` : ask(method, params)))
    await client.verifyNode()
    expect(isProven()).toBe(false)
  })
})
