/** Computes the fees per gas of a new transaction, and the fee bump of one that waits too long. */
import { max, min } from '@tandem/protocol/bigint.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FeeModel } from '../../terms/chain-data.ts'
import { evmDataOf } from '../../terms/chain-data.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

/** A transaction with one gas price offers it as both (EIP-1559, "legacy transactions"). */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

export type OfferedFees = Pick<NodeCall, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** An optional action pays at most this multiple of the suggested fee. */
const OPTIONAL_FEE_FACTOR = 3n
/** Some nodes suggest no priority fee. This is one gwei, but at most cap / 1000, because not every coin is worth as much as ether. */
const DEFAULT_PRIORITY_FEE = 1_000_000_000n
const DEFAULT_PRIORITY_PART = 1000n

export function feeModelOf(chain: Chain): FeeModel {
  return evmDataOf(chain).fees
}

/** With EIP-1559, twice the base fee stays valid through six full blocks. Legacy fees are an eighth above the node's suggestion. */
export async function suggestFees(node: EvmNode, { gasPrice, maxPerGas }: FeeModel): Promise<Fees> {
  if (gasPrice === 'legacy') {
    const price = await node.gasPrice()
    return sameFees(min(price + price / 8n, maxPerGas))
  }
  const [baseFee, priorityFee] = await Promise.all([node.baseFee(), priorityFeeOf(node, maxPerGas)])
  const maxPriorityFeePerGas = min(priorityFee, maxPerGas)
  return { maxFeePerGas: min(baseFee * 2n + maxPriorityFeePerGas, maxPerGas), maxPriorityFeePerGas }
}

export function offeredAs(chain: Chain, fees: Fees): OfferedFees {
  return feeModelOf(chain).gasPrice === 'legacy' ? { gasPrice: fees.maxFeePerGas } : fees
}

/** The price is that of the next block, without a margin for rising fees. */
export async function currentPrice(node: EvmNode, { gasPrice, maxPerGas }: FeeModel): Promise<bigint> {
  if (gasPrice === 'legacy') return min(await node.gasPrice(), maxPerGas)
  const [baseFee, priorityFee] = await Promise.all([node.baseFee(), priorityFeeOf(node, maxPerGas)])
  return min(baseFee + priorityFee, maxPerGas)
}

export function sameFees(price: bigint): Fees {
  return { maxFeePerGas: price, maxPriorityFeePerGas: price }
}

/** Not doing an obligatory action costs more than any fee below the chain's cap. */
export function feeCapOf(suggested: Fees, { maxPerGas }: FeeModel, { isObligatory }: { readonly isObligatory: boolean }): bigint {
  return isObligatory ? maxPerGas : min(suggested.maxFeePerGas * OPTIONAL_FEE_FACTOR, maxPerGas)
}

/** Nodes require 10 to 12.5 % more of both fees for a replacement. Null means that the fees are at the cap. */
export function raiseFees(fees: Fees, { urgent, cap }: { readonly urgent: boolean; readonly cap: bigint }): Fees | null {
  const raise = (fee: bigint) => (urgent ? fee * 2n : fee + fee / 8n) + 1n
  const smallest = fees.maxFeePerGas + fees.maxFeePerGas / 8n + 1n
  if (smallest > cap) return null
  const maxFeePerGas = min(raise(fees.maxFeePerGas), cap)
  return { maxFeePerGas, maxPriorityFeePerGas: min(raise(fees.maxPriorityFeePerGas), maxFeePerGas) }
}

export function higherFees(a: Fees, b: Fees): Fees {
  return {
    maxFeePerGas: max(a.maxFeePerGas, b.maxFeePerGas),
    maxPriorityFeePerGas: max(a.maxPriorityFeePerGas, b.maxPriorityFeePerGas),
  }
}

async function priorityFeeOf(node: EvmNode, maxPerGas: bigint): Promise<bigint> {
  try {
    return await node.priorityFee()
  } catch (error) {
    if (error instanceof NodeRefusal) return min(DEFAULT_PRIORITY_FEE, maxPerGas / DEFAULT_PRIORITY_PART)
    throw error
  }
}
