/** Reads a price feed with the interface of Chainlink's AggregatorV3Interface. */

import type { Oracle } from '@tandem/chain-kit/port/abilities/reading.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Address, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { textForms } from '../terms/address.ts'
import type { EvmNode } from './nodes/node.ts'

const abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const ask = {
  decimals: encodeFunctionData({ abi, functionName: 'decimals' }),
  round: encodeFunctionData({ abi, functionName: 'latestRoundData' }),
}

/** No time is later, and numbers of this size are exact. */
const MAX_SECONDS = 2n ** 40n

export function createOracle(node: EvmNode): Oracle {
  return async (contract) => {
    const to = textForms.parseAddress(contract) as Address
    const [decimalsData, roundData] = await Promise.all([node.call({ to, data: ask.decimals }), node.call({ to, data: ask.round })])
    try {
      const decimals = decodeFunctionResult({ abi, functionName: 'decimals', data: decimalsData })
      const [, answer, , updatedAt] = decodeFunctionResult({ abi, functionName: 'latestRoundData', data: roundData })
      if (updatedAt > MAX_SECONDS) throw new Error('its time is out of range')
      return { answer, decimals, updatedAt }
    } catch (cause) {
      throw new TandemError('chain_unavailable', `${to} does not answer as a price feed`, { cause })
    }
  }
}
