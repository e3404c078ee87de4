// Derives the account of a key: its public key, and its address with the account's class.
import { ec } from 'starknet'
import { accountClass } from './classes/account.ts'
import { addressFrom } from './hashes.ts'

export type AccountKey = { readonly privateKey: string; readonly publicKey: bigint; readonly address: bigint }

export function accountOfKey(privateKey: string): AccountKey {
  const publicKey = BigInt(ec.starkCurve.getStarkKey(privateKey))
  return { privateKey, publicKey, address: addressFrom(accountClass.classHash, publicKey, [publicKey]) }
}
