/** What other orders of an owner take from its account: two initiations must not count on the same money, or one of them reverts at our cost. */
import type { Address } from 'viem'
import type { HtlcContract } from '../evm/htlc.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import type { Signed } from '../evm/send/transaction.ts'
import { takenBy } from './htlc.ts'

/** An initiation of another order that we have signed. `outcome`: null while it is not mined. */
export type AccountUse = { readonly amount: bigint; readonly at: bigint; readonly outcome: 'success' | 'reverted' | null }

/** `others`: what we have signed for other orders. */
export async function readAccountUses(
  node: EvmNode,
  { address }: HtlcContract,
  owner: Address,
  others: readonly Signed[],
): Promise<readonly AccountUse[]> {
  const found = others.flatMap((signed) => {
    const taken = signed.call.to === address ? takenBy(signed.call.data) : null
    return taken?.owner === owner ? [{ ...signed, amount: taken.amount }] : []
  })
  const told = await Promise.all(found.map(async (one) => ({ ...one, outcome: await node.outcome(one.tx) })))
  // Attempts with bumped fees have one nonce: one of them is mined.
  const byNonce = new Map(told.map((one) => [one.nonce, one]))
  for (const one of told) if (one.outcome !== null) byNonce.set(one.nonce, one)
  return [...byNonce.values()]
}

/** What is taken by initiations that are not mined. */
export function inFlightOf(uses: readonly AccountUse[]): bigint {
  return uses.reduce((sum, { amount, outcome }) => (outcome === null ? sum + amount : sum), 0n)
}
