/** Tests that the data cost of a long signature counts against the relay gas limit, whether as gas or as a separate fee. */

import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { bytesToHex, decodeFunctionData, encodeAbiParameters, parseAbi, size } from 'viem'
import { expect, it } from 'vitest'
import { evmDataOf, type FeeModel } from '../../terms/chain-data.ts'
import type { EvmNode } from '../nodes/node.ts'
import { relayGas } from './relay-gas.ts'

const GWEI = 10n ** 9n
const abi = parseAbi(['function getL1FeeUpperBound(uint256)', 'function gasEstimateL1Component(address, bool, bytes)'])

function charging(dataFee: FeeModel['dataFee']): Chain {
  const chain = localChains.find((known) => known.reference === 'evm:31337')
  if (chain === undefined) throw new Error('the local registry has no chain evm:31337')
  const data = evmDataOf(chain)
  return { ...chain, familyData: { ...data, fees: { ...data.fees, dataFee } } }
}

function nodeOf(work: bigint, dataFee: FeeModel['dataFee']): EvmNode {
  const asked: Partial<EvmNode> = {
    estimateGas: async ({ data = '0x' }) => work + (dataFee === 'in-gas' ? 1_000n * BigInt(size(data)) : 0n),
    baseFee: async () => 0n,
    priorityFee: async () => GWEI,
    callAmount: async ({ data = '0x' }, amountOf) => {
      const call = decodeFunctionData({ abi, data })
      if (call.functionName === 'getL1FeeUpperBound')
        return amountOf(encodeAbiParameters([{ type: 'uint256' }], [call.args[0] * 1_000n * GWEI]))
      const gas = 1_000n * BigInt(size(call.args[2]))
      return amountOf(encodeAbiParameters([{ type: 'uint64' }, { type: 'uint256' }, { type: 'uint256' }], [gas, 1n, 1n]))
    },
  }
  return asked as EvmNode
}

const callOf = (bytes: number) => ({ to: `0x${'c'.repeat(40)}`, data: bytesToHex(new Uint8Array(bytes).fill(7)), value: 0n }) as const

it.each(['in-gas', 'op-stack'] as const)('%s: a usual signature is relayed, one of kilobytes is not', async (dataFee) => {
  const node = nodeOf(100_000n, dataFee)
  await relayGas(node, charging(dataFee), callOf(700))
  await expect(relayGas(node, charging(dataFee), callOf(4_000))).rejects.toThrow('and we pay for')
})

it('where data cost no extra fee, only their gas counts', async () => {
  expect(await relayGas(nodeOf(500_000n, 'none'), charging('none'), callOf(4_000))).toBe(600_000n)
  await expect(relayGas(nodeOf(500_001n, 'none'), charging('none'), callOf(700))).rejects.toThrow('we pay for 600000')
})
