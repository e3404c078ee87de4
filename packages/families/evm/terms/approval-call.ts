/** Makes the call that sets a token allowance (ERC-20 `approve`). It is pure: the SDK computes it too. */
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'

export function approvalCall(token: Address, spender: Address, amount: bigint): { to: Address; data: Hex; value: bigint } {
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }), value: 0n }
}

/** The call approves the spender and does nothing else, for any amount. */
export function isApprovalOf(data: Hex, spender: Address): boolean {
  const amountAt = approvalCall(spender, spender, 0n).data.length - 64
  return /^[0-9a-f]{64}$/.test(data.slice(amountAt)) && approvalCall(spender, spender, BigInt(`0x${data.slice(amountAt)}`)).data === data
}
