// Accounts of ed25519 keys.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { Wallet } from 'xrpl'

const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** `privateKey`: 32 bytes in hex, with or without 0x. */
export function walletOfKey(privateKey: string): Wallet {
  const hex = privateKey.replace(/^0x/, '')
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, Buffer.from(hex, 'hex')]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  // The ledger's keys have a byte for their type.
  return new Wallet(`ED${publicKey.toString('hex').toUpperCase()}`, `ED${hex.toUpperCase()}`)
}
