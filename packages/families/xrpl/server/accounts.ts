/**
 * Reads the balance of an account, and whether an escrow can pay it: see "EscrowCreate", "EscrowFinish" and "AccountRoot Flags" at
 * xrpl.org.
 */
import { partyOf } from '../terms/address.ts'
import type { Reserves, XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'

export function reserveOf({ base, increment }: Reserves, ownerCount: bigint): bigint {
  return base + increment * ownerCount
}

/** An account that does not exist has 0. */
export async function spendableOf(node: Pick<XrplNode, 'block' | 'account' | 'reserves'>, address: string): Promise<bigint> {
  const { height } = await newestOf(node)
  const [account, reserves] = await Promise.all([node.account(address, height), node.reserves()])
  if (account === null) return 0n
  const spendable = account.balance - reserveOf(reserves, account.ownerCount)
  return spendable > 0n ? spendable : 0n
}

const flags = { requireDestTag: 0x0002_0000, disallowXrp: 0x0008_0000, depositAuth: 0x0100_0000 } as const

/** The reason is in words for the owner of the account, and null if an escrow can pay the account. */
export async function obstacleToPaying(node: Pick<XrplNode, 'block' | 'account'>, address: string): Promise<string | null> {
  const { account: name, tag } = partyOf(address)
  const account = await node.account(name, (await newestOf(node)).height)
  if (account === null) return 'this account does not exist on the ledger yet, and an escrow cannot make it: send it the reserve first'
  const has = (flag: number) => (account.flags & flag) !== 0
  if (account.isPseudo) return 'this account belongs to a part of the ledger itself: nobody could spend what it receives'
  if (has(flags.requireDestTag) && tag === null)
    return 'this account requires a destination tag: give the X-address, which names account and tag'
  if (has(flags.depositAuth))
    return 'this account accepts payments from authorised senders only (DepositAuth): an escrow to it could not be finished for its owner'
  if (has(flags.disallowXrp)) return 'this account asks not to be sent XRP (DisallowXRP)'
  return null
}

/** `sender` is null if it is not known yet. Tags and wishes of the account matter only to new escrows. */
export async function obstacleToFinishing(
  node: Pick<XrplNode, 'block' | 'account'>,
  address: string,
  sender: string | null,
): Promise<string | null> {
  const { account: name } = partyOf(address)
  const account = await node.account(name, (await newestOf(node)).height)
  if (account === null) return 'this account does not exist'
  if ((account.flags & flags.depositAuth) === 0 || name === sender) return null
  return 'this account accepts payments from authorised senders only (DepositAuth): its owner must finish the escrow'
}
