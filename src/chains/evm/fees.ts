/** EIP-1559 fees: what to offer first, and how much more to offer when a transaction waits too long. */
import type { EvmNode } from './node.ts'
import { NodeRefusal } from './rpc.ts'

export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Whatever a node claims, we never offer more than this per gas: 1000 gwei. */
const FEE_CAP = 1_000_000_000_000n
/** By how much we outbid the market for what can be left undone. */
const OPTIONAL_FEE_FACTOR = 3n
const DEFAULT_PRIORITY_FEE = 1_000_000_000n

/** Twice the base fee stays valid through six full blocks in a row. */
export async function suggestFees(node: EvmNode): Promise<Fees> {
  const [block, priorityFee] = await Promise.all([node.block('latest'), priorityFeeOf(node)])
  const maxPriorityFeePerGas = least(priorityFee, FEE_CAP)
  return { maxFeePerGas: least((block?.baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, FEE_CAP), maxPriorityFeePerGas }
}

/** The highest fee per gas we offer, given what the market asks. An obligation left undone costs more than any fee below the cap. */
export function feeCapOf(suggested: Fees, { isObligatory }: { readonly isObligatory: boolean }): bigint {
  return isObligatory ? FEE_CAP : least(suggested.maxFeePerGas * OPTIONAL_FEE_FACTOR, FEE_CAP)
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

async function priorityFeeOf(node: EvmNode): Promise<bigint> {
  try {
    return await node.priorityFee()
  } catch (error) {
    if (error instanceof NodeRefusal) return DEFAULT_PRIORITY_FEE
    throw error
  }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
