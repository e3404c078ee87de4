/** Turns a node's refusal into a `ChainFailure`, with the contract's own name for the reason. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { decodeErrorResult, parseAbi } from 'viem'
import { htlcCore } from '../../contract/artifacts/htlc-core.ts'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../../contract/artifacts/htlc-native.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

/** Solidity has its own errors, and tokens have those of ERC-6093. */
const standardErrors = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidReceiver(address receiver)',
])
const knownErrors = [...htlcErc20.abi, ...htlcNative.abi, ...htlcCore.abi, ...standardErrors].filter((item) => item.type === 'error')

/** Nodes give a revert different codes (3, -32000, -32603). All of them return data or say "revert". */
export function isRevert(error: unknown): error is NodeRefusal {
  return error instanceof NodeRefusal && (error.code === 3 || error.data !== null || /revert/i.test(error.message))
}

/** Nodes have no error code for a sender that cannot pay. */
export function isInsufficientFunds(error: unknown): error is NodeRefusal {
  return error instanceof NodeRefusal && /insufficient (funds|balance)|enough (funds|balance)|exceeds balance/i.test(error.message)
}

/** The call takes more gas than a node simulates, or than fits into a block. */
export function isOutOfGas(error: unknown): error is NodeRefusal {
  return (
    error instanceof NodeRefusal && /out of gas|ran out of gas|gas required exceeds|exceeds (the )?(gas )?allowance/i.test(error.message)
  )
}

/** The reason is 'HTLC__DuplicateOrder', the text of a require, or the node's message. */
export function revertReason(refusal: NodeRefusal): string {
  if (refusal.data === null || refusal.data.length < 10) return refusal.message
  try {
    const { errorName, args } = decodeErrorResult({ abi: knownErrors, data: refusal.data })
    return errorName === 'Error' || errorName === 'Panic' ? `${errorName}(${args[0]})` : errorName
  } catch {
    return `unknown error ${refusal.data.slice(0, 10)}`
  }
}

/** A refusal by the chain is `would-fail`. Any other refusal is the node's own trouble (limits, sync): `unreachable`, so retry. */
export function asChainFailure(error: unknown, what: string): unknown {
  if (isRevert(error)) return new ChainFailure('would-fail', `${what}: ${revertReason(error)}`)
  if (isInsufficientFunds(error) || isOutOfGas(error)) return new ChainFailure('would-fail', `${what}: ${error.message}`)
  if (error instanceof NodeRefusal) return new ChainFailure('unreachable', `${what}: the node refused (${error.code} ${error.message})`)
  return error
}
