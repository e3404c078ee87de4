/** What an account holds of the chain's own coin or of a token, and how much of it can be paid. */

import type { Balance, HeldAsset, Node } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'

/** Above what any initiation takes. */
const INITIATE_GAS = 200_000n
/** The price may double until the user pays. */
const PRICE_FACTOR = 2n

export async function balanceOf({ deployment: { token } }: HeldAsset, address: string, node: Node): Promise<Balance> {
  if (token !== null) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address as Address] })
    const answer = String(await jsonRpc(node, 'eth_call', [{ to: token, data }, 'latest']))
    const balance = BigInt(answer === '0x' ? 0 : answer)
    return { balance, spendable: balance }
  }
  const [balance, price] = await Promise.all(
    [jsonRpc(node, 'eth_getBalance', [address, 'latest']), jsonRpc(node, 'eth_gasPrice', [])].map(async (answer) =>
      BigInt(String(await answer)),
    ),
  )
  const left = (balance ?? 0n) - (price ?? 0n) * PRICE_FACTOR * INITIATE_GAS
  return { balance: balance ?? 0n, spendable: left > 0n ? left : 0n }
}
