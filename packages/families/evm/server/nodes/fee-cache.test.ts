/** Tests that fees are requested at an interval, not for each action. */
import { expect, it } from 'vitest'
import { withFeeCache } from './fee-cache.ts'
import type { EvmNode } from './node.ts'
import { NodeRefusal } from './rpc.ts'
import { blockOf } from './shared-node.fixture.ts'

function simulate(blockMs: bigint, over: Partial<EvmNode> = {}) {
  const asked: string[] = []
  const clock = { ms: 0 }
  const counting =
    <T>(name: string, answer: T) =>
    async () => {
      asked.push(name)
      return answer
    }
  const simulated: Partial<EvmNode> = {
    block: counting('block', { ...blockOf(1n), baseFeePerGas: 9n }),
    baseFee: counting('base fee', 7n),
    priorityFee: counting('priority fee', 2n),
    gasPrice: counting('gas price', 8n),
    ...over,
  }
  return { node: withFeeCache(simulated as EvmNode, { blockMs }, () => clock.ms), asked, clock }
}

it('the base fee is that of the newest block, if it was read less than two seconds and four blocks ago', async () => {
  for (const [blockMs, ttlMs] of [
    [12_000n, 2_000],
    [250n, 1_000],
  ] as const) {
    const { node, asked, clock } = simulate(blockMs)
    await node.block('latest')
    await node.block(1n)
    expect(await Promise.all([node.baseFee(), node.baseFee()])).toEqual([9n, 9n])
    clock.ms = ttlMs - 1
    expect(await node.baseFee()).toBe(9n)
    expect(asked).toEqual(['block', 'block'])
    clock.ms = ttlMs
    expect(await node.baseFee()).toBe(7n)
    expect(await node.baseFee()).toBe(7n)
    expect(asked).toEqual(['block', 'block', 'base fee'])
  }
})

it('an older block is not taken for the newest one', async () => {
  const { node, asked } = simulate(12_000n)
  await node.block(1n)
  expect(await node.baseFee()).toBe(7n)
  expect(asked).toEqual(['block', 'base fee'])
})

it('the priority fee holds for a block, from two seconds to twelve', async () => {
  for (const [blockMs, ttlMs] of [
    [250n, 2_000],
    [5_000n, 5_000],
    [600_000n, 12_000],
  ] as const) {
    const { node, asked, clock } = simulate(blockMs)
    await node.priorityFee()
    clock.ms = ttlMs - 1
    await node.priorityFee()
    expect(asked).toEqual(['priority fee'])
    clock.ms = ttlMs
    await node.priorityFee()
    expect(asked).toEqual(['priority fee', 'priority fee'])
  }
})

it('a broadcast that is refused as underpriced makes fees be asked for again; another refusal does not', async () => {
  let refusal = 'nonce too low'
  const { node, asked } = simulate(12_000n, { broadcast: () => Promise.reject(new NodeRefusal(-32000, refusal, null)) })
  const askAll = async () => {
    asked.length = 0
    await Promise.all([node.baseFee(), node.priorityFee(), node.gasPrice()])
    return asked.length
  }
  expect(await askAll()).toBe(3)
  await expect(node.broadcast('0x')).rejects.toThrow(refusal)
  expect(await askAll()).toBe(0)
  refusal = 'replacement transaction underpriced'
  await expect(node.broadcast('0x')).rejects.toThrow(refusal)
  expect(await askAll()).toBe(3)
})

it('a refusal is cached, a failure is not', async () => {
  let tries = 0
  const failing = (error: Error) => simulate(12_000n, { priorityFee: () => Promise.reject(tries++ === 0 ? error : new Error('again')) })
  const refused = new NodeRefusal(-32601, 'method not found', null)
  const { node } = failing(refused)
  await expect(node.priorityFee()).rejects.toBe(refused)
  await expect(node.priorityFee()).rejects.toBe(refused)
  tries = 0
  const dead = failing(new Error('dead')).node
  await expect(dead.priorityFee()).rejects.toThrow('dead')
  await expect(dead.priorityFee()).rejects.toThrow('again')
})
