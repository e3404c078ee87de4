// Accounts of secp256k1 keys.
import { createECDH } from 'node:crypto'
import { Wallet } from 'xrpl'

/** `privateKey`: 32 bytes in hex, with or without 0x. */
export function walletOfKey(privateKey: string): Wallet {
  const hex = privateKey.replace(/^0x/, '').padStart(64, '0')
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(hex, 'hex')
  // The ledger's keys have a byte for their type: 00 is a private key of secp256k1.
  return new Wallet(ecdh.getPublicKey('hex', 'compressed').toUpperCase(), `00${hex.toUpperCase()}`)
}
