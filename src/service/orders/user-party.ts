/** How the user appears inside an HTLC: as their own account, by a key of their own, or as a key made for this order alone. */
import type { UserKey } from '../../chains/port/abilities/order-keys.ts'
import type { ChainClient } from '../../chains/port/client.ts'
import { createKey, randomPrivateKey } from '../../keys/keyring.ts'

export type UserParty = {
  /** The initiator or redeemer in the terms. */
  readonly identity: string
  /** To be sealed with the order; null where the user acts for themselves. */
  readonly privateKey: string | null
  /** Where money goes that leaves the HTLC towards them; null until they say so. */
  readonly address: string | null
  /** They keep the key that is in the terms: nobody else can act for them. */
  readonly clientKey: boolean
}

/** Who the user says they are: an account, an address, a key of their own with its address, or nothing yet. */
export type Owner = { readonly name: string; readonly key: UserKey | null } | null

/** `owner` may be missing only where a key is made. */
export function createUserParty(client: ChainClient, owner: Owner): UserParty {
  if (owner !== null && owner.key !== null) {
    return { identity: owner.key.identity, privateKey: null, address: owner.key.address, clientKey: true }
  }
  const address = owner?.name ?? null
  if (client.orderKeys === undefined) {
    if (address === null) throw new Error(`a user on ${client.chain.id} takes part as an account`)
    return { identity: address, privateKey: null, address, clientKey: false }
  }
  const privateKey = randomPrivateKey(client.curve)
  return { identity: client.identityOf(createKey(client.curve, privateKey)), privateKey, address, clientKey: false }
}
