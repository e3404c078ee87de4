/** These tests check which quorum rule each method of a Starknet node has. The rules themselves are tested in `providers/`. */

import { unreachable } from '@tandem/chain-kit/testing/shared-node.fixture.ts'
import { describe, expect, it } from 'vitest'
import { type FeeEstimate, type NodeEvent, NodeRefusal, type Outcome, PartialRefusal, type StarknetNode } from './node.ts'
import { blockOf, dead, provider, sharedBy } from './shared-node.fixture.ts'

const tx = '0x77'
const event: NodeEvent = { address: '0x5', keys: ['0x1'], data: [], blockHeight: 5n, blockHash: '0xa5', tx }
const query = { address: '0x5', keys: [], blockHash: '0xa5' } as const
const call = { to: '0x5', selector: '0x6', calldata: [] } as const
const reverts = () => Promise.reject(new NodeRefusal(40, 'Contract error', 'HTLC: duplicate order'))
const invoke = { type: 'INVOKE' } as const

describe('a block', () => {
  it('has the time and the prices that a quorum states: the right hash beside other values is a contradiction', async () => {
    for (const lie of [{ time: 9_999_999n }, { gasPrices: { l1Gas: 0n, l1DataGas: 2n, l2Gas: 1n } }]) {
      const liar = provider(100n, { block: async (height) => ({ ...blockOf(height === 'latest' ? 100n : height), ...lie }) })
      const { node, troubles } = sharedBy(2, liar, provider(100n), provider(100n))
      expect(await node.block('latest')).toEqual(blockOf(100n))
      expect(troubles.join()).toContain('a is suspended for a while: it contradicts the others about block 100')
    }
  })

  it('and another are of one branch', async () => {
    const [stuck, honest] = [provider(95n, {}, 1), provider(110n)]
    const liar = provider(110n, {
      block: async (height) => blockOf(height === 'latest' ? 110n : height, height !== 'latest' && height <= 95n ? 1 : 0),
    })
    const { node } = sharedBy(2, honest, liar, stuck)
    expect(await node.block('latest')).toEqual(blockOf(110n))
    await expect(node.blocks([95n, 110n])).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await node.blocks([90n, 110n])).toEqual([blockOf(90n), blockOf(110n)])
  })
})

describe('a provider', () => {
  it('of another network or with an old interface is refused by name', async () => {
    const other = provider(100n, { chainId: async () => 'SN_SEPOLIA' })
    const old = provider(100n, { specVersion: async () => '0.8.1' })
    await expect(sharedBy(1, provider(100n), other).node.chainId()).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining('b serves starknet:SN_SEPOLIA, expected starknet:SN_MAIN'),
    })
    await expect(sharedBy(1, provider(100n), old).node.chainId()).rejects.toMatchObject({
      message: expect.stringContaining('b speaks version 0.8.1'),
    })
    const { node, troubles } = sharedBy(1, other, provider(100n, { nonce: async () => 4n }))
    expect(await node.nonce('0x5')).toBe(4n)
    expect(troubles.join()).toContain('a is suspended')
    expect(await sharedBy(1, provider(1n), provider(1n)).node.chainId()).toBe('SN_MAIN')
  })
})

describe('with a quorum', () => {
  it('a single provider can neither invent nor hide an event', async () => {
    const says = (events: readonly NodeEvent[]) => provider(100n, { events: async () => events })
    expect(await sharedBy(2, says([event]), says([]), says([])).node.events(query)).toEqual([])
    expect(await sharedBy(2, says([]), says([event]), says([event])).node.events(query)).toEqual([event])
    const forged = { ...event, data: ['0x1'] as const }
    expect(await sharedBy(2, says([forged]), says([event]), says([event])).node.events(query)).toEqual([event])
    await expect(sharedBy(2, says([event]), says([])).node.events(query)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('events are the same in another sequence', async () => {
    const other = { ...event, tx: '0x78' }
    const says = (events: readonly NodeEvent[]) => provider(100n, { events: async () => events })
    expect(await sharedBy(2, says([event, other]), says([other, event])).node.events(query)).toHaveLength(2)
  })

  it('k − 1 liars together cannot forge an outcome, a call, a class, a nonce, a balance or a final block', async () => {
    const lies = provider(100n, {
      outcome: async () => ({ kind: 'succeeded' }),
      emitted: async () => [{ address: '0x5', keys: ['0x1'] }],
      call: async () => ['0x1'],
      callAmount: async () => 10n ** 18n,
      classHashAt: async () => '0x9',
      isDeclared: async () => true,
      nonce: async () => 9n,
      finalHeight: async () => 100n,
    })
    const truth = provider(100n, {
      outcome: async () => null,
      emitted: async () => [{ address: '0x5', keys: ['0x2'] }],
      call: reverts,
      callAmount: async () => 0n,
      classHashAt: async () => null,
      isDeclared: async () => false,
      nonce: async () => 3n,
      finalHeight: async () => 36n,
    })
    const { node } = sharedBy(3, lies, lies, truth, truth, truth)
    expect(await node.outcome(tx)).toBeNull()
    expect(await node.emitted(tx)).toEqual([{ address: '0x5', keys: ['0x2'] }])
    await expect(node.call(call)).rejects.toMatchObject({ code: 40, reason: 'HTLC: duplicate order' })
    expect(await node.callAmount(call, () => 0n, 'down')).toBe(0n)
    expect(await node.classHashAt('0x5')).toBeNull()
    expect(await node.isDeclared('0x5')).toBe(false)
    expect(await node.nonce('0x5')).toBe(3n)
    expect(await node.finalHeight()).toBe(36n)
  })

  it('a block far above the newest is final for nobody', async () => {
    const says = (height: bigint) => provider(100n, { finalHeight: async () => height })
    const { node, troubles } = sharedBy(2, says(10_000n), says(90n), says(90n))
    expect(await node.finalHeight()).toBe(90n)
    expect(troubles.join()).toContain('it calls block 10000 accepted on L1')
    expect(await sharedBy(2, says(101n), says(101n)).node.finalHeight()).toBe(100n)
  })

  it('gas is that of an honest provider, however large the lies, and of no cheaper one if providers are few', async () => {
    const says = (amount: bigint) => {
      const each = { l1Gas: amount, l1DataGas: amount, l2Gas: amount }
      const estimate: FeeEstimate = { gas: each, prices: each, fee: amount }
      return provider(100n, { estimate: async () => estimate })
    }
    const options = { validates: false }
    for (const lie of [0n, 10n ** 30n]) {
      const { gas, prices, fee } = await sharedBy(2, says(lie), says(50n), says(52n)).node.estimate(invoke, options)
      for (const value of [gas.l1Gas, gas.l1DataGas, gas.l2Gas, prices.l1Gas, prices.l1DataGas, prices.l2Gas, fee])
        expect([50n, 52n]).toContain(value)
    }
    expect(await sharedBy(2, says(1n), says(50n), dead).node.estimate(invoke, options)).toMatchObject({ fee: 50n })
    const refused = provider(100n, { estimate: reverts })
    await expect(sharedBy(2, refused, refused, says(1n)).node.estimate(invoke, options)).rejects.toBeInstanceOf(NodeRefusal)
  })
})

describe('the outcome of a transaction', () => {
  const says = (outcome: Outcome | null) => provider(100n, { outcome: async () => outcome })
  const [succeeded, pending] = [says({ kind: 'succeeded' }), says({ kind: 'pending' })]
  const reverted = says({ kind: 'reverted', reason: 'x' })
  const rejected = says({ kind: 'rejected', reason: 'x' })
  const unknown = says(null)

  it.each<[string, readonly Partial<StarknetNode>[], Outcome['kind'] | null]>([
    ['mined for a quorum', [unknown, succeeded, succeeded], 'succeeded'],
    ['reverted for a quorum', [succeeded, reverted, reverted], 'reverted'],
    ['rejected for a quorum', [rejected, pending, rejected], 'rejected'],
    ['mined for one alone', [succeeded, pending, unknown], 'pending'],
    ['known to one alone', [succeeded, unknown, dead], null],
    ['rejected for one alone', [rejected, pending, unknown], null],
    ['known to nobody', [unknown, unknown, dead], null],
  ])('%s', async (_, nodes, kind) => {
    expect((await sharedBy(2, ...nodes).node.outcome(tx))?.kind ?? null).toBe(kind)
  })

  it('is not answered without a quorum', async () => {
    await expect(sharedBy(2, succeeded, dead, dead).node.outcome(tx)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a broadcast', () => {
  const sent: string[] = []
  const named = (name: string, answer: () => Promise<void>) =>
    provider(100n, {
      broadcast() {
        sent.push(name)
        return answer()
      },
    })
  const accepts = async () => undefined
  const refuses = (code: number) => () => Promise.reject(new NodeRefusal(code, `refused with ${code}`))
  const through = (...answers: readonly (() => Promise<void>)[]) => {
    sent.length = 0
    return sharedBy(2, ...answers.map((answer, i) => named('abc'[i] ?? '', answer))).node.broadcast(invoke)
  }

  it('goes to every provider, and one that is dead does not matter', async () => {
    await through(accepts, accepts, accepts)
    expect(sent.sort()).toEqual(['a', 'b', 'c'])
    await through(unreachable, accepts, accepts)
    await through(accepts, unreachable, unreachable)
  })

  it('goes to providers that are suspended, too', async () => {
    sent.length = 0
    const suspended = { ...named('a', accepts), nonce: unreachable }
    const others = ['b', 'c'].map((name) => ({ ...named(name, accepts), nonce: async () => 1n }))
    const { node, troubles } = sharedBy(2, suspended, ...others)
    await node.nonce('0x5')
    expect(troubles.join()).toContain('a is suspended')
    await node.broadcast(invoke)
    expect(sent.sort()).toEqual(['a', 'b', 'c'])
  })

  it('that all refuse is final, with the most frequent reason', async () => {
    const error = await through(refuses(52), refuses(64), refuses(64)).catch((refusal: unknown) => refusal)
    expect(error).toMatchObject({ code: 64 })
    expect(error).not.toBeInstanceOf(PartialRefusal)
  })

  it('that one accepts, or may have forwarded before it failed, may be mined', async () => {
    await expect(through(refuses(64), refuses(64), accepts)).rejects.toBeInstanceOf(PartialRefusal)
    await expect(through(refuses(64), refuses(64), unreachable)).rejects.toBeInstanceOf(PartialRefusal)
    await expect(through(unreachable, unreachable, unreachable)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})
