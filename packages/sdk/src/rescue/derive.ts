/**
 * Rescue phrases (12 English words of BIP-39), and the secrets and keys of all swaps that derive from one. Never change it: old phrases must find old swaps.
 *
 *   m / 826336' / 0' / branch' / index'     BIP-32; 826336 spells TANDEM on a telephone, the 0 is the version of this scheme
 *
 * branch 0: secrets     HMAC-SHA256(key: the derived private key, message: "tandem swap secret")
 * branch 1: the user's key in the HTLC of the source
 * branch 2: the user's key in the HTLC of the destination
 * branch 3: the key of the rescue file, at index 0
 *
 * Every step is hardened, and a secret is a one-way function of its key: a secret becomes public when it is used, and tells nothing about the others.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { RescueInputError } from '@tandem/chain-kit/browser/refusals.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'

const ROOT = "m/826336'/0'"
const SECRETS = 0
const KEYS: Readonly<Record<Leg, number>> = { source: 1, destination: 2 }
const FILE = 3
const SECRET_MESSAGE = utf8ToBytes('tandem swap secret')
const FILE_MESSAGE = utf8ToBytes('tandem rescue file')

export type DerivedKeys = {
  /** Distinguishes phrases in a storage. It is public. */
  readonly fingerprint: string
  secretAt(index: number): Hex32
  keyAt(index: number, leg: Leg): string
  /** Encrypts the rescue file. */
  fileKey(): Uint8Array
}

export async function deriveKeys(phrase: string): Promise<DerivedKeys> {
  const root = HDKey.fromMasterSeed(await seedOf(phrase)).derive(ROOT)
  function privateKeyAt(branch: number, index: number): Uint8Array {
    if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET) throw new Error(`${index} is not the index of a swap`)
    const { privateKey } = root.deriveChild(HARDENED_OFFSET + branch).deriveChild(HARDENED_OFFSET + index)
    if (privateKey === null) throw new Error(`index ${index} has no key`)
    return privateKey
  }
  return {
    fingerprint: root.fingerprint.toString(16).padStart(8, '0'),
    secretAt: (index) => bytesToHex(hmac(sha256, privateKeyAt(SECRETS, index), SECRET_MESSAGE)),
    keyAt: (index, leg) => bytesToHex(privateKeyAt(KEYS[leg], index)),
    fileKey: () => hmac(sha256, privateKeyAt(FILE, 0), FILE_MESSAGE),
  }
}

const WORDS = 12
const ENTROPY_BITS = 128

export function createPhrase(): string {
  return generateMnemonic(wordlist, ENTROPY_BITS)
}

/** Accepts upper case and any white space. The error names the wrong word, and the one that it probably is. */
function parsePhrase(text: string): string {
  const words = text.normalize('NFKD').toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length !== WORDS) throw new RescueInputError(`a rescue phrase has ${WORDS} words, this one has ${words.length}`)
  for (const [index, word] of words.entries())
    if (!wordlist.includes(word))
      throw new RescueInputError(`word ${index + 1} of the rescue phrase, "${word}", is not in the list${didYouMean(word, wordlist)}`)
  const phrase = words.join(' ')
  if (!validateMnemonic(phrase, wordlist))
    throw new RescueInputError('the checksum of the rescue phrase is wrong: a word was replaced by another, or words are in another order')
  return phrase
}

/** Returns the seed of BIP-39 without a passphrase. */
function seedOf(phrase: string): Promise<Uint8Array> {
  return mnemonicToSeed(parsePhrase(phrase))
}
