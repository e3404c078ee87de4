/** Proves that the contract at an address is ours: the network stores only the hash of its class, and classes cannot be changed. */
import type { Felt } from '../../../../contracts/starknet/client/felt.ts'
import { ChainFailure } from '../../port/failure.ts'
import { addressOfFelt } from '../address.ts'
import type { StarknetNode } from '../nodes/node.ts'

/** Rejects with `would-fail` if it is of another class, or nothing is there. */
export async function verifyClass(node: Pick<StarknetNode, 'classHashAt'>, address: Felt, expected: Felt): Promise<void> {
  const found = await node.classHashAt(address)
  if (found === expected) return
  const what = found === null ? 'there is no contract' : `its class has the hash ${found}, expected ${expected}`
  throw new ChainFailure(
    'would-fail',
    `the contract at ${addressOfFelt(address)} is not our HTLC: ${what}. It is another contract, or another version of ours`,
  )
}
