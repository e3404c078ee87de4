/** Reads HyperCore through a node of HyperEVM. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { EvmNode, NodeCall } from '@tandem/evm/server/nodes/node.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { type Address, decodeAbiParameters, type Hex, pad, size, slice } from 'viem'
import { CORE_USER_EXISTS, SPOT_BALANCE, spotBalanceInput, TOKEN_INFO, tokenInput } from '../terms/core.ts'

/** Hyperliquid's L1Read.sol names this `TokenInfo`. */
const tokenInfoParameters = [
  {
    type: 'tuple',
    components: [
      { name: 'name', type: 'string' },
      { name: 'spots', type: 'uint64[]' },
      { name: 'deployerTradingFeeShare', type: 'uint64' },
      { name: 'deployer', type: 'address' },
      { name: 'evmContract', type: 'address' },
      { name: 'szDecimals', type: 'uint8' },
      { name: 'weiDecimals', type: 'uint8' },
      { name: 'evmExtraWeiDecimals', type: 'int8' },
    ],
  },
] as const

export type TokenInfo = { readonly erc20: Address; readonly coreDecimals: number; readonly extraDecimals: number }

/** The spendable balance may change with every block: if providers differ, it is rounded down. */
export async function spotBalanceOf(node: EvmNode, user: Address, token: bigint): Promise<bigint> {
  // An account that was never activated cannot send.
  if (!(await hasCoreAccount(node, user))) return 0n
  try {
    return await node.callAmount({ to: SPOT_BALANCE, data: spotBalanceInput(user, token) }, freeOf, 'down')
  } catch (error) {
    throw asChainFailure(error, 'asking HyperCore for the spot balance')
  }
}

/** The part on hold for open spot orders cannot be sent. */
function freeOf(answer: Hex): bigint {
  const [total, hold] = [wordAt(answer, 0), wordAt(answer, 1)]
  return total > hold ? total - hold : 0n
}

/** An activated account can send, and can be paid without a fee. */
export async function hasCoreAccount(node: EvmNode, user: Address): Promise<boolean> {
  return wordAt(await ask(node, { to: CORE_USER_EXISTS, data: pad(user, { size: 32 }) }, 'whether an account exists'), 0) === 1n
}

/** Rejects with `would-fail` for a token that HyperCore does not have. */
export async function tokenInfoOf(node: EvmNode, token: bigint): Promise<TokenInfo> {
  const answer = await ask(node, { to: TOKEN_INFO, data: tokenInput(token) }, `token ${token}`)
  try {
    const [{ evmContract, weiDecimals, evmExtraWeiDecimals }] = decodeAbiParameters(tokenInfoParameters, answer)
    return { erc20: evmContract.toLowerCase() as Address, coreDecimals: weiDecimals, extraDecimals: evmExtraWeiDecimals }
  } catch {
    throw new ChainFailure('would-fail', `token ${token} of HyperCore: the answer cannot be decoded: is this a node of HyperEVM?`)
  }
}

async function ask(node: EvmNode, call: NodeCall, what: string): Promise<Hex> {
  try {
    return await node.call(call)
  } catch (error) {
    throw asChainFailure(error, `asking HyperCore for ${what}`)
  }
}

function wordAt(answer: Hex, index: number): bigint {
  if (size(answer) < 32 * (index + 1)) throw new ChainFailure('would-fail', 'HyperCore does not answer here: is this a node of HyperEVM?')
  return BigInt(slice(answer, 32 * index, 32 * (index + 1)))
}
