/** How much energy we pay for when we send someone's signed initiation: a contract account's check of its own signature burns what it likes. */
import { TandemError } from '../../../protocol/error.ts'
import type { EvmNode, NodeCall } from '../../evm/nodes/node.ts'
import { asChainFailure } from '../../evm/send/revert.ts'
import { ChainFailure } from '../../port/failure.ts'
import { ample, type Need } from './fees.ts'

/** Twice what a key's signature takes with Tether, at its usual surcharge. */
const MAX_RELAY_ENERGY = 400_000n

/** Nothing is guessed here: what nobody can estimate is not paid for. */
export async function relayEnergy(node: EvmNode, call: NodeCall): Promise<Need> {
  const { wanted, least } = ample(await estimate(node, call))
  if (least > MAX_RELAY_ENERGY) {
    const refusal = `it would take ${least} energy, and we pay for ${MAX_RELAY_ENERGY}`
    throw new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal })
  }
  return { wanted: wanted < MAX_RELAY_ENERGY ? wanted : MAX_RELAY_ENERGY, least }
}

/** The same for whoever asks us to. */
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
