import { expect, it } from 'vitest'
import { NodeRefusal } from '../nodes/rpc.ts'
import { createGasAdvice, fallbackGas } from './gas.ts'

const call = (to: string) => ({ from: `0x${'1'.repeat(40)}`, to: `0x${to.repeat(40)}`, data: '0x', value: 0n }) as const

it('payers get twice the estimate as gas limit, cached for each contract and verb', async () => {
  const asked: string[] = []
  const advice = createGasAdvice({
    async estimateGas({ to }) {
      asked.push(String(to).slice(2, 3))
      return 50_000n
    },
  })
  expect(await advice.forPayer(call('a'), 'initiate')).toBe(100_000n)
  expect(await advice.forPayer({ ...call('a'), from: `0x${'2'.repeat(40)}` }, 'initiate')).toBe(100_000n)
  expect(await advice.forPayer(call('b'), 'initiate')).toBe(100_000n)
  expect(await advice.forPayer(call('b'), 'approve')).toBe(100_000n)
  expect(asked).toEqual(['a', 'b', 'b'])
})

it('a call that would revert now gets a safe constant, and is estimated again later', async () => {
  let refusals = 1
  const advice = createGasAdvice({
    async estimateGas() {
      refusals -= 1
      if (refusals >= 0) throw new NodeRefusal(3, 'execution reverted', null)
      return 50_000n
    },
  })
  expect(await advice.forPayer(call('a'), 'initiate')).toBe(fallbackGas.initiate)
  expect(await advice.forPayer(call('a'), 'initiate')).toBe(100_000n)
})
