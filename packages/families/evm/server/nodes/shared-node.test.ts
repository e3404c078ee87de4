/** Tests which quorum rule each method of an EVM node over several providers has. The rules themselves are tested in `providers/`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { unreachable } from '@tandem/chain-kit/testing/shared-node.fixture.ts'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { EvmNode, NodeLog } from './node.ts'
import { NodeRefusal } from './rpc.ts'
import { address, blockOf, chain, dead, provider, sharedBy, txHash } from './shared-node.fixture.ts'

/** The others wait less long for a late provider. */
const LATE_MS = 1_200

describe('a block', () => {
  it('has the time that a quorum states: the right hash beside a wrong time is a contradiction', async () => {
    const forged = (height: bigint | 'latest') => ({ ...blockOf(height === 'latest' ? 100n : height), time: 9_999_999n })
    const { node, troubles } = sharedBy(2, provider(100n, { block: async (height) => forged(height) }), provider(100n), provider(100n))
    expect(await node.block('latest')).toEqual(blockOf(100n))
    expect(troubles).toEqual([`${chain.id}: a is suspended for a while: it contradicts the others about block 100`])
    expect(await node.block(99n)).toEqual(blockOf(99n))
  })

  it('is the same if a node adds fields of its own to the header', async () => {
    const rated = (l1FeeRate: bigint) => provider(100n, { block: async () => ({ ...blockOf(100n), l1FeeRate }) })
    expect((await sharedBy(2, rated(1n), rated(2n)).node.block('latest'))?.hash).toBe(blockOf(100n).hash)
  })

  it('below the newest is not null because two providers lack it', async () => {
    const lacking = provider(100n, { block: async (height) => (height === 'latest' ? blockOf(100n) : null) })
    const { node } = sharedBy(2, lacking, lacking, provider(100n))
    expect(await node.block(101n)).toBeNull()
    await node.block('latest')
    await expect(node.block(99n)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await sharedBy(2, lacking, lacking).node.block(101n)).toBeNull()
  })

  it('and another are of one branch: one liar cannot add confirmations to a block of a provider on a stale branch', async () => {
    const [stuck, honest] = [provider(95n, {}, 1), provider(110n)]
    const liar = provider(110n, {
      block: async (height) => blockOf(height === 'latest' ? 110n : height, height !== 'latest' && height <= 95n ? 1 : 0),
    })
    const { node } = sharedBy(2, honest, liar, stuck)
    expect(await node.block('latest')).toEqual(blockOf(110n))
    await expect(node.blocks([95n, 110n])).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await node.blocks([90n, 110n])).toEqual([blockOf(90n), blockOf(110n)])
  })

  it('fails if the node has none', async () => {
    const { node } = sharedBy(1, provider(100n, { block: async () => null }), dead)
    await expect(node.block('latest')).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('the node has no block'),
    })
  })
})

describe('with a quorum', () => {
  const log: NodeLog = { address, topics: [], data: '0x', blockHeight: 5n, blockHash: txHash, tx: txHash, logIndex: 0n }
  const query = { addresses: [address], events: [], blockHash: txHash }

  it('a single provider can neither invent nor hide a log', async () => {
    const says = (logs: readonly NodeLog[]) => provider(100n, { logs: async () => logs })
    expect(await sharedBy(2, says([log]), says([]), says([])).node.logs(query)).toEqual([])
    expect(await sharedBy(2, says([]), says([log]), says([log])).node.logs(query)).toEqual([log])
    const { node, troubles } = sharedBy(2, says([log]), says([]))
    await expect(node.logs(query)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('a against b; 2 must') })
    expect(troubles).toEqual([])
  })

  it('k − 1 liars together cannot forge a receipt, a balance, a call or a final block', async () => {
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

  it('no provider is suspended for a state that may have changed with the newest block', async () => {
    const says = (balance: bigint) => provider(100n, { balance: async () => balance })
    const { node, troubles } = sharedBy(2, says(0n), says(1n), says(1n))
    expect(await node.balance(address)).toBe(1n)
    expect(troubles).toEqual([])
  })

  it('fees and gas are those of an honest provider, however large the lies', async () => {
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

  it('a late honest provider counts: a fast liar hides neither a balance nor a transaction in the mempool', async () => {
    const late = (node: Pick<EvmNode, 'isKnown' | 'balance'>) => ({
      isKnown: async (tx: string) => sleep(LATE_MS).then(() => node.isKnown(tx)),
      balance: async (owner: Address) => sleep(LATE_MS).then(() => node.balance(owner)),
    })
    const liar = provider(100n, { isKnown: async () => false, balance: async () => 0n })
    const truth = { isKnown: async () => true, balance: async () => 5_000n }
    const { node } = sharedBy(2, liar, provider(100n, truth), provider(100n, late(truth)))
    expect(await node.balance(address)).toBe(5_000n)
    expect(await node.isKnown(txHash)).toBe(true)
  })

  it('a transaction is known if two of four have it in their mempools', async () => {
    const says = (isKnown: boolean) => provider(100n, { isKnown: async () => isKnown })
    expect(await sharedBy(2, says(false), says(false), says(true), says(true)).node.isKnown(txHash)).toBe(true)
    expect(await sharedBy(2, says(false), says(true)).node.isKnown(txHash)).toBe(false)
  })
})

describe('numbers that move with every block', () => {
  const says = (amount: bigint) =>
    provider(100n, {
      balance: async () => amount,
      transactionCount: async () => amount,
      callAmount: async () => amount,
      estimateGas: async () => amount,
      priorityFee: async () => amount,
      gasPrice: async () => amount,
    })

  it('are rounded to the safe side', async () => {
    const { node } = sharedBy(2, says(41n), says(43n))
    expect(await node.balance(address)).toBe(41n)
    expect(await node.callAmount({ to: address }, () => 0n, 'down')).toBe(41n)
    expect(await node.callAmount({ to: address }, () => 0n, 'up')).toBe(43n)
    expect(await node.gasPrice()).toBe(43n)
  })

  it('but a nonce is exact: a transaction with a wrong nonce would show its secret and never be mined', async () => {
    expect(await sharedBy(2, says(7n), says(900n), says(900n)).node.transactionCount(address)).toBe(900n)
    expect(await sharedBy(2, says(899n), says(890n), says(900n)).node.transactionCount(address)).toBe(899n)
    for (const lie of [890n, 899n, 901n])
      await expect(sharedBy(2, says(lie), says(900n), dead).node.transactionCount(address)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('are refused if only two answer and are far apart, so that the caller uses a constant', async () => {
    const { node } = sharedBy(2, says(50n), says(10n ** 30n), dead)
    await expect(node.estimateGas({ to: address })).rejects.toBeInstanceOf(NodeRefusal)
    await expect(node.priorityFee()).rejects.toBeInstanceOf(NodeRefusal)
    expect(await node.gasPrice()).toBe(10n ** 30n)
    expect(await node.balance(address)).toBe(50n)
  })
})

describe('a final block', () => {
  const says = (height: bigint | null, tip = 100n) => provider(tip, { finalHeight: async () => height })

  it('is never above the newest, and a provider that says so is suspended', async () => {
    const { node, troubles } = sharedBy(2, says(2n ** 63n), says(36n), says(36n))
    expect(await node.finalHeight('finalized')).toBe(36n)
    expect(troubles).toEqual([expect.stringContaining(`it calls block ${2n ** 63n} finalized, and the newest is 100`)])
    await expect(sharedBy(1, says(101n + 1_000n), dead).node.finalHeight('finalized')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await sharedBy(2, says(102n, 102n), says(102n, 102n), says(100n)).node.finalHeight('finalized')).toBe(102n)
    expect(await sharedBy(1, says(100n), says(100n, 103n)).node.finalHeight('finalized')).toBe(100n)
    expect(await sharedBy(2, says(100n), says(102n, 102n)).node.finalHeight('finalized')).toBe(100n)
  })

  it('is null where a quorum does not know the tag, and does not rise while too few know it', async () => {
    expect(await sharedBy(2, says(null), says(40n), says(30n)).node.finalHeight('safe')).toBe(30n)
    expect(await sharedBy(2, says(null), says(40n), says(null)).node.finalHeight('safe')).toBeNull()
    expect(await sharedBy(2, says(null), says(99n)).node.finalHeight('finalized')).toBe(0n)
  })
})

describe('a provider', () => {
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

  it('is trusted alone about a revert with a quorum of 1, but its own errors are not a verdict', async () => {
    const reverting = provider(100n, { call: () => Promise.reject(new NodeRefusal(3, 'execution reverted', null)) })
    const troubled = provider(100n, { call: () => Promise.reject(new NodeRefusal(-32000, 'header not found', null)) })
    const answering = provider(100n, { call: async () => '0x01' })
    await expect(sharedBy(1, reverting, answering).node.call({ to: address })).rejects.toThrow('execution reverted')
    expect(await sharedBy(1, troubled, answering).node.call({ to: address })).toBe('0x01')
    await expect(sharedBy(1, troubled, troubled).node.call({ to: address })).rejects.toBeInstanceOf(NodeRefusal)
  })

  it('gets every transaction; if one accepts and the others refuse, the refusal is reported', async () => {
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
    const refusedByOne = sharedBy(1, says('b', 'nonce too low')).node.broadcast('0x02')
    await expect(refusedByOne).rejects.toMatchObject({ name: 'NodeRefusal', message: 'nonce too low' })
    // The one that does not answer may have forwarded the transaction.
    const refusedByOther = sharedBy(1, dead, says('b', 'nonce too low')).node.broadcast('0x02')
    await expect(refusedByOther).rejects.toMatchObject({ name: 'PartialRefusal', message: 'nonce too low' })
    await expect(sharedBy(1, dead, dead).node.broadcast('0x02')).rejects.toMatchObject({ kind: 'unreachable' })
  })
})
