/** Checks that a node serves the chain we mean, and that the contracts there are ours. */
import type { Address } from 'viem'
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure } from '../family.ts'
import type { ContractState } from './contract-state.ts'
import { type Contracts, chainIdOf, initiateDomain } from './htlc.ts'
import type { EvmNode } from './node.ts'

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

export async function verifyNode(chain: Chain, node: EvmNode, state: ContractState, contracts: Contracts): Promise<void> {
  const wrong = (what: string) => new ChainFailure('would-fail', `${chain.id}: ${what}`)
  const expectedId = BigInt(chainIdOf(chain))
  const servedId = await node.chainId()
  if (servedId !== expectedId) throw wrong(`the node serves evm:${servedId}, expected ${chain.reference}`)
  const requireCode = async (address: Address, what: string) => {
    if ((await node.code(address)) === '0x') throw wrong(`there is no contract at ${address}, expected ${what}`)
  }
  for (const { address, token } of contracts.all) {
    await requireCode(address, 'an HTLC')
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
