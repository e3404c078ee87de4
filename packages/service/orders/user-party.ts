/** The user as a party of an HTLC: their account, a key of their own, or a key that the service makes for this order. */
import type { UserKey } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'

export type UserParty = {
  /** The initiator or redeemer in the terms. */
  readonly identity: string
  /** Hex, on the curve of the chain; sealed with the order. Null if the user signs for themselves. */
  readonly privateKey: string | null
  /** The address that redeems and refunds pay; null until the user sets it. */
  readonly address: string | null
  /** The user keeps the key that is in the terms: the service cannot sign for them. */
  readonly clientKey: boolean
}

/** The user in the request: an account, an address, a key of their own with its address, or null if not given yet. */
export type Owner = { readonly name: string; readonly key: UserKey | null } | null

/** `owner` may be null only on chains with order keys. */
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
