/** Fees per gas: what to offer first, and how much more to offer when a transaction waits too long. */
import type { Chain, FeeModel } from '../../../protocol/chain.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

/** EIP-1559. A transaction with one gas price offers it as both (EIP-1559, "legacy transactions"). */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** By how much we outbid the market for what can be left undone. */
const OPTIONAL_FEE_FACTOR = 3n
/** For nodes that suggest none: a gwei, and no more than this part of the cap, for not every coin is worth what ether is. */
const DEFAULT_PRIORITY_FEE = 1_000_000_000n
const DEFAULT_PRIORITY_PART = 1000n

export function feeModelOf({ id, fees }: Chain): FeeModel {
  if (fees === undefined) throw new Error(`${id} has no fee model`)
  return fees
}

/** With a base fee: twice of it stays valid through six full blocks in a row. With one price, an eighth more than the node says. */
export async function suggestFees(node: EvmNode, { gasPrice, maxPerGas }: FeeModel): Promise<Fees> {
  if (gasPrice === 'legacy') {
    const price = await node.gasPrice()
    return sameFees(least(price + price / 8n, maxPerGas))
  }
  const [block, priorityFee] = await Promise.all([node.block('latest'), priorityFeeOf(node, maxPerGas)])
  const maxPriorityFeePerGas = least(priorityFee, maxPerGas)
  return { maxFeePerGas: least((block?.baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, maxPerGas), maxPriorityFeePerGas }
}

export function sameFees(price: bigint): Fees {
  return { maxFeePerGas: price, maxPriorityFeePerGas: price }
}

/** The highest fee per gas we offer, given what the market asks. An obligation left undone costs more than any fee below the cap. */
export function feeCapOf(suggested: Fees, { maxPerGas }: FeeModel, { isObligatory }: { readonly isObligatory: boolean }): bigint {
  return isObligatory ? maxPerGas : least(suggested.maxFeePerGas * OPTIONAL_FEE_FACTOR, maxPerGas)
}

/** What a node accepts as a replacement of `fees`: nodes ask for 10 to 12.5 % more of both. Null at the cap. */
export function raiseFees(fees: Fees, { urgent, cap }: { readonly urgent: boolean; readonly cap: bigint }): Fees | null {
  const raise = (fee: bigint) => (urgent ? fee * 2n : fee + fee / 8n) + 1n
  const smallest = fees.maxFeePerGas + fees.maxFeePerGas / 8n + 1n
  if (smallest > cap) return null
  const maxFeePerGas = least(raise(fees.maxFeePerGas), cap)
  return { maxFeePerGas, maxPriorityFeePerGas: least(raise(fees.maxPriorityFeePerGas), maxFeePerGas) }
}

export function higherFees(a: Fees, b: Fees): Fees {
  const most = (x: bigint, y: bigint) => (x > y ? x : y)
  return {
    maxFeePerGas: most(a.maxFeePerGas, b.maxFeePerGas),
    maxPriorityFeePerGas: most(a.maxPriorityFeePerGas, b.maxPriorityFeePerGas),
  }
}

async function priorityFeeOf(node: EvmNode, maxPerGas: bigint): Promise<bigint> {
  try {
    return await node.priorityFee()
  } catch (error) {
    if (error instanceof NodeRefusal) return least(DEFAULT_PRIORITY_FEE, maxPerGas / DEFAULT_PRIORITY_PART)
    throw error
  }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
