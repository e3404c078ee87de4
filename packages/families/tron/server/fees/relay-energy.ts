/** Limits the energy of a relay. A contract account checks its own signature, and can burn any amount of energy there. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { EvmNode, NodeCall } from '@tandem/evm/server/nodes/node.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Need, withMargin } from './fees.ts'

/** This is twice what a key's signature takes with Tether, at its usual surcharge. */
const MAX_RELAY_ENERGY = 400_000n

/** There is no fallback: we do not pay for a relay that cannot be estimated. */
export async function relayEnergy(node: EvmNode, call: NodeCall): Promise<Need> {
  const { wanted, min } = withMargin(await estimate(node, call))
  if (min > MAX_RELAY_ENERGY) {
    const refusal = `it would take ${min} energy, and we pay for ${MAX_RELAY_ENERGY}`
    throw new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal })
  }
  return { wanted: wanted < MAX_RELAY_ENERGY ? wanted : MAX_RELAY_ENERGY, min }
}

export async function verifyRelayEnergy(node: EvmNode, call: NodeCall): Promise<void> {
  try {
    await relayEnergy(node, call)
  } catch (error) {
    if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') throw error
    throw new TandemError('bad_request', `the initiation is not paid for: ${error.message}; send initiate_transaction`)
  }
}

async function estimate(node: EvmNode, call: NodeCall): Promise<bigint> {
  try {
    return await node.estimateGas(call)
  } catch (error) {
    throw asChainFailure(error, 'initiate')
  }
}
