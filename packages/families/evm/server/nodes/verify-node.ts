/** Checks that a node serves our chain, and that the contracts there are ours. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Address, Hex } from 'viem'
import { htlcCode, verifyCode } from '../../terms/deploy/verify-code.ts'
import { type Contracts, chainIdOf, type HtlcContract, initiateDomain } from '../../terms/htlc.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import type { ContractState } from '../contract-state.ts'
import type { EvmNode } from './node.ts'

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

/** Families with another contract give the expected code of an HTLC by `codeOf`. */
export async function verifyNode(
  chain: Chain,
  node: EvmNode,
  state: ContractState,
  contracts: Contracts,
  codeOf: (contract: HtlcContract) => Hex = htlcCode,
): Promise<void> {
  const wrong = (what: string) => new ChainFailure('would-fail', `${chain.id}: ${what}`)
  const expectedId = BigInt(chainIdOf(chain))
  const problem = await chainProblem(chain, node)
  if (problem !== null) throw wrong(`the node ${problem}`)
  const requireCode = async (address: Address, what: string) => {
    if ((await node.code(address)) === '0x') throw wrong(`there is no contract at ${address}, expected ${what}`)
  }
  for (const contract of contracts.all) {
    const { address, token } = contract
    await requireCode(address, 'an HTLC')
    await verifyCode(node, address, codeOf(contract))
    if (token !== null) await requireCode(token, 'a token')
    const locked = await state.lockedToken(address)
    if (locked !== (token ?? ZERO_ADDRESS)) throw wrong(`the HTLC at ${address} locks ${locked}, expected ${token ?? 'the native coin'}`)
    if (token === null) continue
    const { name, version, chainId } = await state.domain(address)
    if (name !== initiateDomain.name || version !== initiateDomain.version || chainId !== expectedId) {
      throw wrong(`signatures for the HTLC at ${address} are bound to ${name} ${version} on evm:${chainId}`)
    }
  }
}
