/** Makes the call that sets a token allowance (ERC-20 `approve`). It is pure: the SDK computes it too. */
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'

export function approvalCall(token: Address, spender: Address, amount: bigint): { to: Address; data: Hex; value: bigint } {
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }), value: 0n }
}

/** The amount of a call that approves the spender and does nothing else. Null stands for any other call. */
export function approvedAmount(data: Hex, spender: Address): bigint | null {
  const digits = data.slice(approvalCall(spender, spender, 0n).data.length - 64)
  if (!/^[0-9a-f]{64}$/.test(digits)) return null
  const amount = BigInt(`0x${digits}`)
  return approvalCall(spender, spender, amount).data === data ? amount : null
}
