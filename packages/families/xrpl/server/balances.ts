/** What an account can spend: its balance without the reserve, which the chain keeps for the account and for each object that it owns. */
import type { Reserves, XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'

export function reserveOf({ base, increment }: Reserves, ownerCount: bigint): bigint {
  return base + increment * ownerCount
}

/** 0 for an account that does not exist. */
export async function spendableOf(node: Pick<XrplNode, 'block' | 'account' | 'reserves'>, address: string): Promise<bigint> {
  const { height } = await newestOf(node)
  const [account, reserves] = await Promise.all([node.account(address, height), node.reserves()])
  if (account === null) return 0n
  const spendable = account.balance - reserveOf(reserves, account.ownerCount)
  return spendable > 0n ? spendable : 0n
}
