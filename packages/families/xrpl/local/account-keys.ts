// Makes accounts of ed25519 keys.
import { ed25519Key, isEd25519Signature } from '@tandem/chain-kit/local/ed25519.ts'
import { deriveAddress, Wallet } from 'xrpl'

export type LocalKey = {
  readonly address: string
  readonly publicKey: string
  /** Message and signature are hex. */
  sign(message: string): string
}

/** The ledger's keys have a byte for their type. */
const ED25519 = 'ED'

/** `privateKey` has 32 bytes in hex, with or without 0x. */
export function localKey(privateKey: string): LocalKey {
  const pair = ed25519Key(Buffer.from(privateKey.replace(/^0x/, ''), 'hex'))
  const publicKey = `${ED25519}${toHex(pair.publicKey)}`
  return {
    publicKey,
    address: deriveAddress(publicKey),
    sign: (message) => toHex(pair.sign(Buffer.from(message, 'hex'))),
  }
}

export function walletOfKey(privateKey: string): Wallet {
  return new Wallet(localKey(privateKey).publicKey, `${ED25519}${privateKey.replace(/^0x/, '').toUpperCase()}`)
}

export const isEd25519 = (publicKey: string) => /^ED[0-9A-F]{64}$/.test(publicKey)

/** All arguments are hex. */
export function isSignedBy(publicKey: string, message: string, signature: string): boolean {
  const key = Buffer.from(publicKey.slice(ED25519.length), 'hex')
  return isEd25519Signature(key, Buffer.from(message, 'hex'), Buffer.from(signature, 'hex'))
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase()
}
