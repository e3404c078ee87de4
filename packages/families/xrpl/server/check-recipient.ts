/** Whether an account can be paid by an escrow: see "EscrowCreate", "EscrowFinish" and "AccountRoot Flags" at xrpl.org. */
import { partyOf } from '../terms/address.ts'
import type { XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'

const flags = { requireDestTag: 0x0002_0000, disallowXrp: 0x0008_0000, depositAuth: 0x0100_0000 } as const

/** The reason in words for its owner; null if it can. Two requests. */
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

/** Why the chain would refuse a finish by `sender` (null: not known yet); null if it would not. Tags and wishes of the account matter only to new escrows. */
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
