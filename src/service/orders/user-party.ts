/** How the user appears inside an HTLC: as their own account, or as a key made for this order alone. */
import { randomBytes } from 'node:crypto'
import type { ChainClient } from '../../chains/family.ts'
import { createSigner } from '../../engine/signer.ts'

export type UserParty = {
  /** The initiator or redeemer in the terms. */
  readonly identity: string
  /** To be sealed with the order; null where the user's account acts for itself. */
  readonly privateKey: string | null
}

/** `owner` may be missing only where a key is made. */
export function createUserParty(client: ChainClient, owner: string | null): UserParty {
  if (client.userParty === 'account') {
    if (owner === null) throw new Error(`a user on ${client.chain.id} takes part as an account`)
    return { identity: owner, privateKey: null }
  }
  const privateKey = randomBytes(32).toString('hex')
  return { identity: client.identityOf(createSigner(privateKey)), privateKey }
}
