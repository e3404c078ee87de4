/** Computes the account of a key on Starknet. */

import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import { hash } from 'starknet'
import { type Address, addressOfFelt, feltOf } from '../terms/address.ts'
import type { Felt } from './nodes/node.ts'

/** The keys are public key and class. Every action needs the account of its key, which takes several hashes on the curve. */
const accounts = new WeakMap<Uint8Array, Map<string, Address>>()

/** The account need not be deployed. The public key is the salt and the only argument. */
export function accountOf(key: PublicKey, accountClass: string): Address {
  const { publicKey } = onCurve('stark', key)
  const known = accounts.get(publicKey)?.get(accountClass)
  if (known !== undefined) return known
  const owner = publicKeyFelt(key)
  const account = addressOfFelt(hash.calculateContractAddressFromHash(owner, accountClass, [owner], 0) as Felt)
  accounts.set(publicKey, new Map([...(accounts.get(publicKey) ?? []), [accountClass, account]]))
  return account
}

export function publicKeyFelt(key: PublicKey): Felt {
  return feltOf(`0x${Buffer.from(onCurve('stark', key).publicKey).toString('hex')}`)
}

export function bytesOfFelt(value: Felt): Uint8Array {
  return Buffer.from(value.slice(2).padStart(64, '0'), 'hex')
}
