// Accounts of ed25519 keys, by node's own crypto, which is fast.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { deriveAddress, Wallet } from 'xrpl'

export type LocalKey = {
  readonly address: string
  /** As in `SigningPubKey`. */
  readonly publicKey: string
  /** In hex, as the message. */
  sign(message: string): string
}

const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
/** The ledger's keys have a byte for their type. */
const ED25519 = 'ED'

/** `privateKey`: 32 bytes in hex, with or without 0x. */
export function localKey(privateKey: string): LocalKey {
  const seed = Buffer.from(privateKey.replace(/^0x/, ''), 'hex')
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  const publicKey = `${ED25519}${raw.toString('hex').toUpperCase()}`
  return {
    publicKey,
    address: deriveAddress(publicKey),
    sign: (message) => sign(null, Buffer.from(message, 'hex'), key).toString('hex').toUpperCase(),
  }
}

/** The wallet of xrpl.js with this key. */
export function walletOfKey(privateKey: string): Wallet {
  return new Wallet(localKey(privateKey).publicKey, `${ED25519}${privateKey.replace(/^0x/, '').toUpperCase()}`)
}

export const isEd25519 = (publicKey: string) => /^ED[0-9A-F]{64}$/.test(publicKey)

/** All in hex. */
export function isSignedBy(publicKey: string, message: string, signature: string): boolean {
  const der = Buffer.concat([spkiPrefix, Buffer.from(publicKey.slice(ED25519.length), 'hex')])
  return verify(
    null,
    Buffer.from(message, 'hex'),
    createPublicKey({ key: der, format: 'der', type: 'spki' }),
    Buffer.from(signature, 'hex'),
  )
}
