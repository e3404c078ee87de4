/** Reads the HTLC and its token at the newest block. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import {
  type AbiFunction,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  prepareEncodeFunctionData,
} from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { type HtlcContract, orderIdOf } from '../terms/htlc.ts'
import type { EvmNode } from './nodes/node.ts'
import { asChainFailure } from './send/revert.ts'

export type HtlcState = 'absent' | 'open' | 'redeemed' | 'refunded'

export interface ContractState {
  htlc(contract: HtlcContract, terms: HtlcTerms): Promise<HtlcState>
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>
  tokenBalance(token: Address, owner: Address): Promise<bigint>
  /** The zero address stands for the native coin. */
  lockedToken(htlc: Address): Promise<Address>
  /** Signatures for this HTLC have this EIP-712 domain (ERC-5267). */
  domain(htlc: Address): Promise<{ readonly name: string; readonly version: string; readonly chainId: bigint }>
}

/** Hashing a function's signature takes longer than encoding its arguments, so this is prepared once. */
const prepared = {
  initiatedAt: prepareEncodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt' }),
  allowance: prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'allowance' }),
  balanceOf: prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf' }),
}

export function createContractState(node: EvmNode): ContractState {
  async function read(to: Address, data: Hex, what: string): Promise<Hex> {
    try {
      return await node.call({ to, data })
    } catch (error) {
      throw asChainFailure(error, `${what} of ${to}`)
    }
  }

  return {
    async htlc(contract, terms) {
      const functionName = 'initiatedAt'
      const data = encodeFunctionData({ ...prepared.initiatedAt, args: [orderIdOf(contract, terms)] })
      const answer = await read(contract.address, data, functionName)
      const slot = decoded(functionName, () => decodeFunctionResult({ abi: htlcErc20.abi, functionName, data: answer }))
      // 1 and 2 mark a settled order; before that it is the time of the block: see `Htlc.sol`.
      return slot === 0n ? 'absent' : slot === 1n ? 'redeemed' : slot === 2n ? 'refunded' : 'open'
    },
    async allowance(token, owner, spender) {
      const functionName = 'allowance'
      const answer = await read(token, encodeFunctionData({ ...prepared.allowance, args: [owner, spender] }), functionName)
      return decoded(functionName, () => decodeFunctionResult({ abi: erc20Abi, functionName, data: answer }))
    },
    async tokenBalance(token, owner) {
      const functionName = 'balanceOf'
      const data = encodeFunctionData({ ...prepared.balanceOf, args: [owner] })
      try {
        // The balance may change with every block, and providers may be some blocks apart.
        return await node.callAmount(
          { to: token, data },
          (answer) => decodeFunctionResult({ abi: erc20Abi, functionName, data: answer }),
          'down',
        )
      } catch (error) {
        throw asChainFailure(error, `${functionName} of ${token}`)
      }
    },
    async lockedToken(htlc) {
      const functionName = 'token'
      const answer = await read(htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName }), functionName)
      const token = decoded(functionName, () => decodeFunctionResult({ abi: htlcErc20.abi, functionName, data: answer }))
      return token.toLowerCase() as Address
    },
    async domain(htlc) {
      const functionName = 'eip712Domain'
      const answer = await read(htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName }), functionName)
      const [, name, version, chainId] = decoded(functionName, () =>
        decodeFunctionResult({ abi: htlcErc20.abi, functionName, data: answer }),
      )
      return { name, version, chainId }
    },
  }
}

/** An answer that does not decode is not from our contract. */
function decoded<T>(functionName: AbiFunction['name'], decode: () => T): T {
  try {
    return decode()
  } catch {
    throw new ChainFailure('would-fail', `${functionName}: the answer does not decode: is the contract there?`)
  }
}
