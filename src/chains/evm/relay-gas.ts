/** How much gas we pay for when we send someone's signed initiation: a contract account's check of its own signature burns what it likes. */

import type { Chain } from '../../protocol/chain.ts'
import { TandemError } from '../../protocol/error.ts'
import { ChainFailure } from '../family.ts'
import { dataGasOf } from './data-fee.ts'
import { gasFor } from './gas.ts'
import type { EvmNode, NodeCall } from './node.ts'
import type { TransactionCall } from './transaction.ts'

/** Five times what a key's signature takes: enough for several owners, or for a passkey where the chain cannot check it natively. */
const MAX_RELAY_GAS = 600_000n

export async function relayGas(node: EvmNode, chain: Chain, call: NodeCall & Pick<TransactionCall, 'data'>): Promise<bigint> {
  const gas = await gasFor(node, chain, call, 'initiate')
  if (gas <= MAX_RELAY_GAS) return gas
  // What is charged for data is not the account's doing.
  const most = MAX_RELAY_GAS + (await dataGasOf(node, chain, call))
  if (gas > most) throw new ChainFailure('would-fail', `initiate: it would take ${gas} gas, and we pay for ${most}`)
  return gas
}

/** The same for whoever asks us to. */
export async function verifyRelayGas(node: EvmNode, chain: Chain, call: TransactionCall): Promise<void> {
  try {
    await relayGas(node, chain, call)
  } catch (error) {
    if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') throw error
    throw new TandemError('bad_request', `the initiation is not paid for: ${error.message}; send initiate_transaction`)
  }
}
