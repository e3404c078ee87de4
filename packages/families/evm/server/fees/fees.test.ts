/** Tests the fees of a new transaction and of its replacements, and the gas limit for payers. */
import { describe, expect, it } from 'vitest'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { feeCapOf, raiseFees, suggestFees } from './fees.ts'
import { createGasAdvice, fallbackGas } from './gas.ts'

describe('fees', () => {
  const gwei = 1_000_000_000n
  const cap = 1000n * gwei
  const model = { gasPrice: 'eip1559', dataFee: 'none', maxPerGas: cap } as const
  const nodeWith = (baseFeePerGas: bigint, priorityFee: EvmNode['priorityFee']) =>
    ({
      baseFee: async () => baseFeePerGas,
      priorityFee,
    }) as Partial<EvmNode> as EvmNode

  it('let the base fee double, and for nodes that suggest nothing', async () => {
    expect(
      await suggestFees(
        nodeWith(10n * gwei, async () => 2n * gwei),
        model,
      ),
    ).toEqual({
      maxFeePerGas: 22n * gwei,
      maxPriorityFeePerGas: 2n * gwei,
    })
    const refusing = () => Promise.reject(new NodeRefusal(-32601, 'method not found', null))
    expect(await suggestFees(nodeWith(10n * gwei, refusing), model)).toEqual({ maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei })
  })

  it('never exceed the cap, whichever fee a node suggests', async () => {
    expect(
      await suggestFees(
        nodeWith(10n ** 18n, async () => 10n ** 18n),
        model,
      ),
    ).toEqual({ maxFeePerGas: cap, maxPriorityFeePerGas: cap })
    const market = { maxFeePerGas: 10n * gwei, maxPriorityFeePerGas: gwei }
    expect(feeCapOf(market, model, { isObligatory: true })).toBe(cap)
    expect(feeCapOf(market, model, { isObligatory: false })).toBe(30n * gwei)
    expect(feeCapOf({ ...market, maxFeePerGas: 500n * gwei }, model, { isObligatory: false })).toBe(cap)
    expect(raiseFees({ maxFeePerGas: 800n * gwei, maxPriorityFeePerGas: gwei }, { urgent: true, cap })?.maxFeePerGas).toBe(cap)
    expect(raiseFees({ maxFeePerGas: 900n * gwei, maxPriorityFeePerGas: gwei }, { urgent: true, cap })).toBeNull()
  })

  it('rise by an eighth at least, even from nothing', () => {
    expect(raiseFees({ maxFeePerGas: 8n, maxPriorityFeePerGas: 0n }, { urgent: false, cap: 100n })).toEqual({
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: 1n,
    })
  })
})

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
