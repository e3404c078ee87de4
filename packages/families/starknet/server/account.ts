/** The account of a key on Starknet. */

import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import { hash } from 'starknet'
import { type Address, addressOfFelt, feltOf } from '../terms/address.ts'
import type { Felt } from './nodes/node.ts'

/** By public key and class. Every action asks for the account of its key, which takes several hashes on the curve. */
const accounts = new WeakMap<Uint8Array, Map<string, Address>>()

/** The account of a key, deployed or not: of this class, with the public key as its salt and as its only argument. */
export function accountOf(key: PublicKey, accountClass: string): Address {
  const { publicKey } = onCurve('stark', key)
  const known = accounts.get(publicKey)?.get(accountClass)
  if (known !== undefined) return known
  const owner = publicKeyFelt(key)
  const account = addressOfFelt(hash.calculateContractAddressFromHash(owner, accountClass, [owner], 0) as Felt)
  accounts.set(publicKey, new Map([...(accounts.get(publicKey) ?? []), [accountClass, account]]))
  return account
}

/** The argument of the account's constructor. */
export function publicKeyFelt(key: PublicKey): Felt {
  return feltOf(`0x${Buffer.from(onCurve('stark', key).publicKey).toString('hex')}`)
}
