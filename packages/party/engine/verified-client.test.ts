/** Tests that a client asks nothing of a node before the node is verified. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { describe, expect, it } from 'vitest'
import { createMemoryChain } from './chain.fixture.ts'
import { createVerifiedClient } from './verified-client.ts'

function createProbe() {
  const asked: string[] = []
  let node: 'silent' | 'wrong' | 'right' = 'silent'
  const real = createMemoryChain('ethereum_localnet', 1_800_000_000n)
  const answer = (name: string) => async () => {
    asked.push(name)
    return name as never
  }
  const client: ChainClient = {
    chain: real.chain,
    curve: real.curve,
    text: { ...real.text, parseAddress: (text) => `parsed ${text}` },
    identityOf: real.identityOf,
    addressOf: real.addressOf,
    swapId: () => 'id' as ReturnType<ChainClient['swapId']>,
    async verifyNode() {
      asked.push('verifyNode')
      if (node === 'silent') throw new ChainFailure('unreachable', 'silent')
      if (node === 'wrong') throw new ChainFailure('would-fail', 'another chain')
    },
    tip: answer('tip'),
    headers: answer('headers'),
    events: answer('events'),
    unconfirmedEvents: answer('unconfirmedEvents'),
    readHtlc: answer('readHtlc'),
    balance: answer('balance'),
    funding: answer('funding'),
    verifyPayout: answer('verifyPayout'),
    payoutFee: answer('payoutFee'),
    legCost: answer('legCost'),
    initiate: answer('initiate'),
    redeem: answer('redeem'),
    refund: answer('refund'),
    cancel: answer('cancel'),
    gasless: { supports: () => true, verify: answer('gasless.verify'), initiate: answer('gasless.initiate') },
    close: answer('close'),
  }
  const setNode = (next: typeof node) => {
    node = next
  }
  return { client, verified: createVerifiedClient(client), asked, setNode }
}

type AnyCall = (...args: unknown[]) => Promise<unknown>

function callsOf(client: ChainClient): readonly (readonly [string, AnyCall])[] {
  const own = Object.entries(client).filter(([name, value]) => typeof value === 'function' && !FREE.includes(name))
  const { supports: _free, ...asking } = client.gasless ?? {}
  const gasless = Object.entries(asking).map(([name, value]) => [`gasless.${name}`, value] as const)
  return [...own, ...gasless].map(([name, value]) => [name, value as AnyCall] as const)
}
const FREE = ['identityOf', 'addressOf', 'swapId', 'verifyNode', 'close']

describe('before its node is verified', () => {
  it('a client makes no other request', async () => {
    const { verified, asked, setNode } = createProbe()
    const calls = callsOf(verified)
    expect(calls.map(([name]) => name)).toContain('gasless.initiate')
    for (const node of ['silent', 'wrong'] as const) {
      setNode(node)
      for (const [, call] of calls) await expect(call()).rejects.toThrow(node === 'silent' ? 'silent' : 'another chain')
    }
    expect(new Set(asked)).toEqual(new Set(['verifyNode']))
  })

  it('methods that need no node work, and it can be closed', async () => {
    const { verified, asked } = createProbe()
    expect(verified.text.parseAddress('x')).toBe('parsed x')
    expect(verified.gasless?.supports('x:y')).toBe(true)
    await verified.close()
    expect(asked).toEqual(['close'])
  })

  it('pure methods of an ability work, and those that call the node reject', async () => {
    const { client, asked, setNode } = createProbe()
    const distributor = { contractOf: () => 'contract', isDeployed: client.balance } as unknown as NonNullable<ChainClient['distributor']>
    const verified = createVerifiedClient({ ...client, distributor })
    expect(verified.distributor?.contractOf({} as never)).toBe('contract')
    await expect(verified.distributor?.isDeployed({} as never)).rejects.toThrow('silent')
    expect(asked).toEqual(['verifyNode'])
    setNode('right')
    expect(await verified.distributor?.isDeployed({} as never)).toBe('balance')
  })

  it('concurrent callers share one verification', async () => {
    const { verified, asked } = createProbe()
    await Promise.allSettled([verified.tip(), verified.tip(), verified.verifyNode()])
    expect(asked).toEqual(['verifyNode'])
  })
})

it('the first call to the right node succeeds, and the node is verified once', async () => {
  const { verified, asked, setNode } = createProbe()
  await expect(verified.tip()).rejects.toThrow('silent')
  setNode('right')
  for (const [name, call] of callsOf(verified)) expect(await call()).toBe(name)
  expect(asked.filter((name) => name === 'verifyNode')).toHaveLength(2)
})

it('abilities that a family lacks stay absent', () => {
  const { client } = createProbe()
  const { cancel: _cancel, gasless: _gasless, ...poor } = client
  const verified = createVerifiedClient(poor)
  expect('cancel' in verified || 'gasless' in verified).toBe(false)
})
