/** Makes the call that sets a token allowance (ERC-20 `approve`). It is pure: the SDK computes it too. */
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'

export function approvalCall(token: Address, spender: Address, amount: bigint): { to: Address; data: Hex; value: bigint } {
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }), value: 0n }
}
