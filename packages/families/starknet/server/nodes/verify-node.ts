/** Checks that a node serves our chain, and that the contracts there are ours. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { domainNameCall } from '../../contract/client/calls.ts'
import { shortString } from '../../contract/client/felt.ts'
import { domainName } from '../../contract/client/typed-data.ts'
import { addressOfFelt, feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { Contracts } from '../../terms/htlc.ts'
import type { ContractState } from '../contract-state.ts'
import { asChainFailure } from '../refusal.ts'
import { chainProblem } from './chain-problem.ts'
import type { Felt, StarknetNode } from './node.ts'

/** `htlcClass` is the hash of our contract's class. Classes cannot be changed, and the contract has no call that replaces its own. */
export async function verifyNode(
  chain: Chain,
  node: StarknetNode,
  state: Pick<ContractState, 'lockedToken'>,
  contracts: Contracts,
  htlcClass: Felt,
): Promise<void> {
  const wrong = (what: string) => new ChainFailure('would-fail', `${chain.id}: ${what}`)
  const problem = await chainProblem(chain, node)
  if (problem !== null) throw wrong(`the node ${problem}`)

  async function requireContract(address: Felt, what: string): Promise<Felt> {
    const found = await node.classHashAt(address)
    if (found === null) throw wrong(`there is no contract at ${addressOfFelt(address)}, expected ${what}`)
    return found
  }

  await requireContract(feltOf(starknetDataOf(chain).feeToken), 'the token that pays fees')
  for (const contract of contracts.all) {
    const { address, token } = contract
    const at = `the HTLC at ${addressOfFelt(address)}`
    const found = await requireContract(address, 'an HTLC')
    if (found !== htlcClass)
      throw wrong(`${at} is of class ${found}, expected ${htlcClass}: it is not our contract, or another version of it`)
    await requireContract(token, 'a token')
    const locked = await state.lockedToken(address)
    if (locked !== token) throw wrong(`${at} locks ${addressOfFelt(locked)}, expected ${addressOfFelt(token)}`)
    const [name] = await node.call(domainNameCall(address)).catch((error: unknown) => {
      throw asChainFailure(error, `domain_name of ${address}`)
    })
    if (name !== shortString(domainName(contract))) throw wrong(`signatures for ${at} are bound to another domain, ${name}`)
  }
}
