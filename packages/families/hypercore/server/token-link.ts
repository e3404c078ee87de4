/** Converts amounts in the units of HyperCore to amounts of the ERC-20 on HyperEVM. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { type Address, decodeFunctionResult, encodeFunctionData } from 'viem'
import { MAX_ERC20_DECIMALS } from '../terms/allowance.ts'
import { tokenInfoOf } from './core-account.ts'

export type TokenLink = { readonly coreToken: bigint; readonly evmPerCore: bigint }

export interface TokenLinks {
  /** The link is read from the HTLC, where it can never change. */
  of(contract: HtlcContract): Promise<TokenLink>
}

export function createTokenLinks(node: EvmNode): TokenLinks {
  const known = new Map<Address, TokenLink>()

  async function read(htlc: Address, functionName: 'coreToken' | 'evmPerCore'): Promise<bigint> {
    try {
      return BigInt(await node.call({ to: htlc, data: encodeFunctionData({ abi: htlcCore.abi, functionName }) }))
    } catch (error) {
      if (error instanceof SyntaxError) throw new ChainFailure('would-fail', `there is no HTLC for a token of HyperCore at ${htlc}`)
      throw asChainFailure(error, `${functionName} of ${htlc}`)
    }
  }

  return {
    async of({ address }) {
      const cached = known.get(address)
      if (cached !== undefined) return cached
      const [coreToken, evmPerCore] = await Promise.all([read(address, 'coreToken'), read(address, 'evmPerCore')])
      if (evmPerCore === 0n) throw new ChainFailure('would-fail', `there is no HTLC for a token of HyperCore at ${address}`)
      known.set(address, { coreToken, evmPerCore })
      return { coreToken, evmPerCore }
    },
  }
}

/** The reads are in the units of HyperCore, rounded down. */
export function inCoreUnits(state: ContractState, links: TokenLinks, all: readonly HtlcContract[]): ContractState {
  async function unitsOf(token: Address): Promise<bigint> {
    const contract = all.find((known) => known.token === token)
    if (contract === undefined) throw new Error(`${token} is not the token of an HTLC here`)
    return (await links.of(contract)).evmPerCore
  }
  return {
    ...state,
    tokenBalance: async (token, owner) => (await state.tokenBalance(token, owner)) / (await unitsOf(token)),
    allowance: async (token, owner, spender) => (await state.allowance(token, owner, spender)) / (await unitsOf(token)),
  }
}

/** Throws unless HyperCore, the HTLC and the registry agree on the units of this asset. */
export async function verifyLink(node: EvmNode, asset: Asset, contract: HtlcContract, link: TokenLink): Promise<void> {
  const { erc20, coreDecimals, extraDecimals } = await tokenInfoOf(node, link.coreToken)
  const wrong = (what: string) => new ChainFailure('would-fail', `${asset.id}: ${what}`)
  if (erc20 !== contract.token) throw wrong(`token ${link.coreToken} of HyperCore is linked to ${erc20}, expected ${contract.token}`)
  if (coreDecimals !== asset.decimals) throw wrong(`HyperCore counts it in ${coreDecimals} decimals, the registry in ${asset.decimals}`)
  if (extraDecimals < 0 || 10n ** BigInt(extraDecimals) !== link.evmPerCore)
    throw wrong(`its ERC-20 has ${extraDecimals} decimals more than HyperCore, and the HTLC multiplies by ${link.evmPerCore}`)
  if (coreDecimals + extraDecimals > MAX_ERC20_DECIMALS)
    throw wrong(`its ERC-20 has ${coreDecimals + extraDecimals} decimals, and our keys approve those with ${MAX_ERC20_DECIMALS} at most`)
}

/**
 * If the HTLC counts more of the bridge's funds than the bridge holds, payouts to HyperCore might be lost, so this throws. A transfer does
 * not change the sum of both sides, but the count may be wrong from the block in which the HTLC was deployed.
 */
export async function verifyBridge(node: EvmNode, asset: Asset, { address }: HtlcContract): Promise<void> {
  const read = { abi: htlcCore.abi, functionName: 'bridgeFunds' } as const
  const data = await node.call({ to: address, data: encodeFunctionData(read) }).catch((error: unknown) => {
    throw asChainFailure(error, `bridgeFunds of ${address}`)
  })
  const [counted, held] = decodeFunctionResult({ ...read, data })
  if (counted <= held) return
  const counts = `the HTLC at ${address} counts ${counted} in the bridge, which holds ${held}`
  throw new ChainFailure('would-fail', `${asset.id}: ${counts}: payouts to HyperCore might be lost until somebody calls its recount()`)
}
