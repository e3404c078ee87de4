/** What a node of several providers believes, with providers that say whatever a test wants. */
import { describe, expect, it } from 'vitest'
import type { NodeLog } from './node.ts'
import { NodeRefusal } from './rpc.ts'
import { address, blockOf, chain, dead, provider, sharedBy, txHash, unreachable } from './shared-node.fixture.ts'

describe('the newest block', () => {
  it.each([
    ['the highest that two have, whoever is asked first', 2, [100n, 103n, 102n], 102n],
    ['not that of one who is ahead of all others', 2, [1_000_000n, 100n, 100n], 100n],
    ['not held up by one who is behind', 2, [100n, 5n, 100n], 100n],
    ['of three, with three that must agree, the lowest', 3, [100n, 102n, 101n], 100n],
    ['that of the first while it keeps up', 1, [100n, 103n, 102n], 100n],
    ['that of the next when the first does not', 1, [5n, 103n, 102n], 103n],
    ['not that of one who makes up blocks, when it is not the first', 1, [100n, 1_000_000n, 100n], 100n],
  ])('is %s', async (_, quorum, tips, expected) => {
    const { node } = sharedBy(quorum, ...tips.map((tip) => provider(tip)))
    expect(await node.block('latest')).toEqual(blockOf(expected))
  })

  it('is that on which enough agree while the providers are on two branches', async () => {
    const { node, troubles } = sharedBy(2, provider(100n, {}, 0), provider(102n, {}, 1), provider(101n, {}, 1))
    expect(await node.block('latest')).toEqual(blockOf(101n, 1))
    const split = sharedBy(2, provider(100n, {}, 0), provider(101n, {}, 1))
    expect(await split.node.block('latest')).toEqual(blockOf(90n))
    expect(troubles).toEqual([])
  })

  it('is none when nobody agrees with anybody', async () => {
    const forger = provider(100n, { block: async (height) => ({ ...blockOf(height === 'latest' ? 100n : height), time: 1n }) })
    const { node } = sharedBy(2, provider(100n), forger)
    await expect(node.block('latest')).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('a, b; 2 must') })
  })

  it('has the time that enough state, and not that of one who has the right hash beside a wrong time', async () => {
    const forged = (height: bigint | 'latest') => ({ ...blockOf(height === 'latest' ? 100n : height), time: 9_999_999n })
    const { node, troubles } = sharedBy(2, provider(100n, { block: async (height) => forged(height) }), provider(100n), provider(100n))
    expect(await node.block('latest')).toEqual(blockOf(100n))
    expect(troubles).toEqual([`${chain.id}: a is suspended for a while: it contradicts the others about block 100`])
    expect(await node.block(99n)).toEqual(blockOf(99n))
  })
})

describe('with a quorum', () => {
  const log: NodeLog = { address, topics: [], data: '0x', blockHeight: 5n, blockHash: txHash, tx: txHash, logIndex: 0n }
  const query = { addresses: [address], events: [], blockHash: txHash }

  it('neither a log that one makes up nor one that it hides is believed', async () => {
    const says = (logs: readonly NodeLog[]) => provider(100n, { logs: async () => logs })
    expect(await sharedBy(2, says([log]), says([]), says([])).node.logs(query)).toEqual([])
    expect(await sharedBy(2, says([]), says([log]), says([log])).node.logs(query)).toEqual([log])
    const { node, troubles } = sharedBy(2, says([log]), says([]))
    await expect(node.logs(query)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('a against b; 2 must') })
    expect(troubles).toEqual([])
  })

  it('as many liars as may lie cannot make a receipt, a balance, a call or a final block, even together', async () => {
    const lies = provider(100n, {
      outcome: async () => 'success',
      balance: async () => 10n ** 18n,
      call: async () => '0x01',
      finalHeight: async () => 100n,
      code: async () => '0xfe',
      transactionCount: async () => 9n,
      isKnown: async () => true,
    })
    const truth = provider(100n, {
      outcome: async () => null,
      balance: async () => 0n,
      call: () => Promise.reject(new NodeRefusal(3, 'execution reverted', null)),
      finalHeight: async () => 36n,
      code: async () => '0x',
      transactionCount: async () => 3n,
      isKnown: async () => false,
    })
    const { node } = sharedBy(3, lies, lies, truth, truth, truth)
    expect(await node.outcome(txHash)).toBeNull()
    expect(await node.balance(address)).toBe(0n)
    await expect(node.call({ to: address })).rejects.toBeInstanceOf(NodeRefusal)
    expect(await node.finalHeight('finalized')).toBe(36n)
    expect(await node.code(address)).toBe('0x')
    expect(await node.transactionCount(address)).toBe(3n)
    expect(await node.isKnown(txHash)).toBe(false)
  })

  it('nobody is blamed for a state that may have changed with the newest block', async () => {
    const says = (balance: bigint) => provider(100n, { balance: async () => balance })
    const { node, troubles } = sharedBy(2, says(0n), says(1n), says(1n))
    expect(await node.balance(address)).toBe(1n)
    expect(troubles).toEqual([])
  })

  it('a provider that does not know a tag leaves the question to the others', async () => {
    const says = (height: bigint | null) => provider(100n, { finalHeight: async () => height })
    expect(await sharedBy(2, says(null), says(40n), says(30n)).node.finalHeight('safe')).toBe(30n)
    expect(await sharedBy(2, says(null), says(40n), says(null)).node.finalHeight('safe')).toBeNull()
    expect(await sharedBy(2, says(null), says(null)).node.finalHeight('safe')).toBeNull()
  })

  it('fees and gas are those of an honest one, however far the lies are off', async () => {
    const says = (amount: bigint) =>
      provider(100n, { priorityFee: async () => amount, gasPrice: async () => amount, estimateGas: async () => amount })
    for (const lie of [0n, 10n ** 30n]) {
      const { node } = sharedBy(2, says(lie), says(50n), says(52n))
      for (const answer of [node.priorityFee(), node.gasPrice(), node.estimateGas({ to: address })])
        expect([50n, 52n]).toContain(await answer)
    }
    const refusing = () => Promise.reject(new NodeRefusal(-32601, 'method not found', null))
    const { node } = sharedBy(2, says(5n), provider(100n, { priorityFee: refusing }))
    await expect(node.priorityFee()).rejects.toBeInstanceOf(NodeRefusal)
  })

  it('too few that answer are no answer, and it is said who did not', async () => {
    const { node } = sharedBy(2, provider(100n, { call: async () => '0x01' }), dead)
    await expect(node.call({ to: address })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/1 of the 2 providers needed answered; b: ECONNREFUSED/),
    })
  })
})

describe('a provider', () => {
  it('that fails is suspended, longer each time, and the one that took its place keeps it', async () => {
    const asked: string[] = []
    let isDead = true
    const says = (name: string) =>
      provider(100n, {
        call: () => {
          asked.push(name)
          return name === 'a' && isDead ? unreachable() : Promise.resolve('0x')
        },
      })
    const { node, clock, troubles } = sharedBy(1, says('a'), says('b'))
    const call = () => node.call({ to: address })
    await call()
    await call()
    expect(asked).toEqual(['a', 'b', 'b'])
    expect(troubles).toEqual([`${chain.id}: a is suspended for a while: ECONNREFUSED`])
    isDead = false
    clock.ms = 2_000
    await node.block('latest')
    await call()
    expect(asked.at(-1)).toBe('b')
  })

  it('that comes back as another chain is not asked anything else', async () => {
    const asked: string[] = []
    let id = 31337n
    const changing = provider(100n, {
      chainId: async () => id,
      balance: () => {
        asked.push('balance')
        return id === 31337n ? unreachable() : Promise.resolve(5n)
      },
    })
    const { node, clock, troubles } = sharedBy(1, changing, provider(100n, { balance: async () => 1n }))
    expect(await node.balance(address)).toBe(1n)
    id = 5n
    clock.ms = 2_000
    await node.block('latest')
    expect(asked).toEqual(['balance'])
    expect(troubles.at(-1)).toContain('serves evm:5, expected evm:31337')
    await expect(node.chainId()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('a serves evm:5') })
  })

  it('that is behind is suspended, and asked again when it has caught up', async () => {
    let tip = 5n
    const late = provider(0n, { block: async (height) => blockOf(height === 'latest' ? tip : height) })
    const { node, clock, troubles } = sharedBy(1, late, provider(100n))
    expect(await node.block('latest')).toEqual(blockOf(100n))
    expect(troubles).toEqual([expect.stringContaining('a is suspended for a while: it is behind')])
    tip = 100n
    clock.ms = 2_000
    await node.block('latest')
    tip = 5n
    await node.block('latest')
    // It was in good standing in between, so it is told of again.
    expect(troubles).toHaveLength(2)
  })

  it('that refuses a call is believed alone, and that has trouble of its own is not', async () => {
    const reverting = provider(100n, { call: () => Promise.reject(new NodeRefusal(3, 'execution reverted', null)) })
    const troubled = provider(100n, { call: () => Promise.reject(new NodeRefusal(-32000, 'header not found', null)) })
    const answering = provider(100n, { call: async () => '0x01' })
    await expect(sharedBy(1, reverting, answering).node.call({ to: address })).rejects.toThrow('execution reverted')
    expect(await sharedBy(1, troubled, answering).node.call({ to: address })).toBe('0x01')
    await expect(sharedBy(1, troubled, troubled).node.call({ to: address })).rejects.toBeInstanceOf(NodeRefusal)
  })

  it('gets every transaction, and one that takes it must not hide that the others refuse', async () => {
    const taken: string[] = []
    const says = (name: string, refusal?: string) =>
      provider(100n, {
        broadcast: async (raw) => {
          taken.push(`${name} ${raw}`)
          if (refusal !== undefined) throw new NodeRefusal(-32000, refusal, null)
        },
      })
    await sharedBy(2, says('a', 'nonce too low'), dead, says('c'), says('d', 'already known')).node.broadcast('0x02')
    expect(taken).toEqual(['a 0x02', 'c 0x02', 'd 0x02'])
    const refusals = [says('b', 'nonce too low'), says('c', 'underpriced'), says('d', 'fee too low')]
    const refused = sharedBy(2, says('a'), ...refusals).node.broadcast('0x02')
    await expect(refused).rejects.toMatchObject({ name: 'PartialRefusal', message: 'underpriced' })
    await sharedBy(2, dead, says('b')).node.broadcast('0x02')
    await sharedBy(1, says('a'), says('b', 'underpriced')).node.broadcast('0x02')
    await expect(sharedBy(1, dead, says('b', 'nonce too low')).node.broadcast('0x02')).rejects.toThrow('nonce too low')
    await expect(sharedBy(1, dead, dead).node.broadcast('0x02')).rejects.toMatchObject({ kind: 'unreachable' })
  })
})
