/**
 * Seals values to a public key: a process that seals cannot open, not even what it sealed itself.
 *
 * X25519 with an ephemeral key, HKDF-SHA256 and AES-256-GCM. An ephemeral key serves a few values, because making one is expensive. Each
 * value has a key of its own. The chain of keys goes only forward, and each is wiped after use, so the memory of a process opens no value
 * that it sealed before.
 *
 *   version (1 byte) | ephemeral public key (32) | position in the chain (1) | encrypted value | tag (16)
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'

/** `context` says what the value is and whose. A value opens only with the same context. */
export type Seal = (context: string, value: string) => Buffer
/** Throws if the value was sealed to another key, for another context, in another format, or changed. */
export type Open = (context: string, sealed: Buffer) => string

const VERSION = 1
const KEY_BYTES = 32
const TAG_BYTES = 16
const NONCE_BYTES = 12
const HEADER_BYTES = 1 + KEY_BYTES + 1
const CIPHER = 'aes-256-gcm'
const LABEL = Buffer.from('tandem sealed value')
const VALUE = Buffer.from('value ')
/** The info of the first block of HKDF-Expand ends with its number. */
const FIRST_BLOCK = Buffer.of(1)
const NEXT_BLOCK = Buffer.concat([Buffer.from('next'), FIRST_BLOCK])
const LABEL_BLOCK = Buffer.concat([LABEL, FIRST_BLOCK])
/** HKDF-Extract without a salt. */
const NO_SALT = Buffer.alloc(KEY_BYTES)

/** An opener walks the chain up to the value, so the chain is short. */
export const VALUES_PER_KEY = 32

/** The DER forms of an X25519 private key and public key end with the 32 bytes of the key. */
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex')

export function createSeal(publicKey: string): Seal {
  const recipient = Buffer.from(publicKey, 'hex')
  const recipientKey = publicKeyOf(recipient)
  let chain: SealingChain | null = null

  return (context, value) => {
    chain ??= startChain(recipientKey)
    const { ephemeral, position } = chain
    const header = Buffer.concat([Buffer.of(VERSION), ephemeral, Buffer.of(position)])
    const bound = bind(header, recipient, context)
    const key = valueKey(chain.key, bound)
    chain = position + 1 < VALUES_PER_KEY ? { ephemeral, position: position + 1, key: nextKey(chain.key) } : wiped(chain)
    const cipher = createCipheriv(CIPHER, key, nonceAt(position)).setAAD(bound)
    key.fill(0)
    return Buffer.concat([header, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  }
}

/** The private key and the public key to which values are sealed. */
export function createSealingPair(seed: Buffer): { readonly privateKey: KeyObject; readonly publicKey: string } {
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: rawOf(createPublicKey(privateKey)).toString('hex') }
}

export function createOpen({ privateKey, publicKey }: ReturnType<typeof createSealingPair>): Open {
  const recipient = Buffer.from(publicKey, 'hex')
  return (context, sealed) => {
    const position = sealed[HEADER_BYTES - 1]
    if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES + TAG_BYTES || position === undefined || position >= VALUES_PER_KEY)
      throw new Error('a sealed value has a form that this version does not read: another version made it, or somebody changed it')
    try {
      const header = sealed.subarray(0, HEADER_BYTES)
      const bound = bind(header, recipient, context)
      const publicKey = publicKeyOf(sealed.subarray(1, 1 + KEY_BYTES))
      let key = firstKey(diffieHellman({ privateKey, publicKey }))
      for (let at = 0; at < position; at += 1) key = nextKey(key)
      const decipher = createDecipheriv(CIPHER, valueKey(key, bound), nonceAt(position), { authTagLength: TAG_BYTES })
        .setAAD(bound)
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
    } catch (cause) {
      throw new Error(
        'a sealed value does not open: it is of another order or purpose, somebody changed it, or it was sealed for another vault key',
        { cause },
      )
    }
  }
}

type SealingChain = { readonly ephemeral: Buffer; readonly position: number; readonly key: Buffer }

function startChain(recipientKey: KeyObject): SealingChain {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  return { ephemeral: rawOf(publicKey), position: 0, key: firstKey(diffieHellman({ privateKey, publicKey: recipientKey })) }
}

function wiped({ key }: SealingChain): null {
  key.fill(0)
  return null
}

/** The parts before the context have fixed lengths, so two bindings are equal only if all parts are. */
function bind(header: Buffer, recipient: Buffer, context: string): Buffer {
  return Buffer.concat([LABEL, header, recipient, Buffer.from(context)])
}

/** Both keys of this function and the next come from the chain, by distinct labels. */
function valueKey(chainKey: Buffer, bound: Buffer): Buffer {
  return expand(chainKey, Buffer.concat([VALUE, bound, FIRST_BLOCK]))
}

function nextKey(chainKey: Buffer): Buffer {
  const next = expand(chainKey, NEXT_BLOCK)
  chainKey.fill(0)
  return next
}

function firstKey(shared: Buffer): Buffer {
  const extracted = createHmac('sha256', NO_SALT).update(shared).digest()
  const first = expand(extracted, LABEL_BLOCK)
  shared.fill(0)
  extracted.fill(0)
  return first
}

/** HKDF-Expand of RFC 5869, of which one block is enough. `hkdfSync` would take several times as long. */
function expand(key: Buffer, block: Buffer): Buffer {
  return createHmac('sha256', key).update(block).digest()
}

/** No key encrypts twice, so the nonce need not be random. */
function nonceAt(position: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt8(position, NONCE_BYTES - 1)
  return nonce
}

function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' })
}

function rawOf(publicKey: KeyObject): Buffer {
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('the key is not an X25519 public key')
  return Buffer.from(x, 'base64url')
}
