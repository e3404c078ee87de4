/** Limits the gas of a relay. A contract account checks its own signature, and can burn any amount of gas there. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { size, slice } from 'viem'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import type { TransactionCall } from '../send/transaction.ts'
import { dataFeeOf, dataGasOf } from './data-fee.ts'
import { feeModelOf, suggestFees } from './fees.ts'
import { EMPTIED_SLOTS_GAS, MAX_CALL_GAS, unlimitedGas } from './gas.ts'

/** A relay for a key has this limit: a fifth of the highest, with what each initiation gets on top. */
export const USUAL_RELAY_GAS = MAX_CALL_GAS / 5n + EMPTIED_SLOTS_GAS

/** A call with a signature of about 500 bytes has this size. The cost of longer calldata counts against the account's gas. */
const DATA_BYTES = 800

export async function relayGas(node: EvmNode, chain: Chain, call: NodeCall & TransactionCall): Promise<bigint> {
  const gas = await unlimitedGas(node, chain, call, 'initiate')
  const usual = { ...call, data: size(call.data) > DATA_BYTES ? slice(call.data, 0, DATA_BYTES) : call.data }
  const counted = gas + (usual.data === call.data ? 0n : await surchargeOf(node, chain, call, usual))
  if (counted <= MAX_CALL_GAS) return gas
  // Data gas of the usual size does not count against the account, which does not cause it.
  const limit = MAX_CALL_GAS + (await dataGasOf(node, chain, usual))
  if (counted > limit) throw new ChainFailure('would-fail', `initiate: it would take ${counted} gas, and we pay for ${limit}`)
  return gas
}

/** The surcharge is the data fee of the extra length, in units of gas. */
async function surchargeOf(node: EvmNode, chain: Chain, call: TransactionCall, usual: TransactionCall): Promise<bigint> {
  const extra = (await dataFeeOf(node, chain, call)) - (await dataFeeOf(node, chain, usual))
  if (extra <= 0n) return 0n
  const { maxFeePerGas } = await suggestFees(node, feeModelOf(chain))
  return maxFeePerGas === 0n ? 0n : extra / maxFeePerGas
}

export async function verifyRelayGas(node: EvmNode, chain: Chain, call: TransactionCall): Promise<void> {
  try {
    await relayGas(node, chain, call)
  } catch (error) {
    if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') throw error
    throw new TandemError('bad_request', `the initiation is not paid for: ${error.message}; send initiate_transaction`)
  }
}
