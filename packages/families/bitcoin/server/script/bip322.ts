/**
 * Verifies messages signed for an address: BIP322 simple for P2WPKH, P2SH-P2WPKH and the key path of P2TR, and the older compact form, which
 * BIP322 keeps for P2PKH.
 */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { OutScript, Script, SigHash, Transaction } from '@scure/btc-signer'
import { equalBytes, hash160 } from '@scure/btc-signer/utils.js'
import { TandemError } from '@tandem/protocol/error.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'

/** No supported proof is longer. */
const MAX_PROOF_LENGTH = 1_000
const MAX_WITNESS_ITEMS = 10

export function verifyMessage(address: string, message: string, proof: string, network: BitcoinNetwork): void {
  const script = scriptOfAddress(address, network)
  const kind = OutScript.decode(script)
  const bytes = decodeProof(proof)
  if (kind.type === 'wpkh') verifyKeyHash(script, kind.hash, parseWitness(bytes), message)
  else if (kind.type === 'sh') verifyNested(script, kind.hash, parseWitness(bytes), message)
  else if (kind.type === 'tr') verifyTaproot(script, kind.pubkey, parseWitness(bytes), message)
  else if (kind.type === 'pkh') verifyCompact(kind.hash, bytes, message, network)
  else throw invalid(`proofs by addresses of the kind of ${address} are not supported: only by P2WPKH, P2TR, P2SH-P2WPKH and P2PKH`)
}

/** Final BIP322 puts the name of the variant before the base64; without a name it is the simple variant. */
function decodeProof(proof: string): Uint8Array {
  if (/^(ful|pof)/.test(proof)) throw invalid('it is in the full variant of BIP322: send the simple variant')
  const text = proof.replace(/^smp/, '')
  if (text === '' || text.length > MAX_PROOF_LENGTH) throw invalid('expected a BIP322 signature in base64')
  try {
    return base64.decode(text)
  } catch (cause) {
    throw invalid('it is not base64', cause)
  }
}

/** BIP144: a count comes first, then each item with its length. All lengths here fit in one byte. */
function parseWitness(bytes: Uint8Array): readonly Uint8Array[] {
  const [count = 0] = bytes
  const items: Uint8Array[] = []
  let position = 1
  for (let index = 0; index < count && index < MAX_WITNESS_ITEMS; index++) {
    const length = bytes[position]
    if (length === undefined || length > 0xfc || position + 1 + length > bytes.length) throw invalid('it is not a witness stack')
    items.push(bytes.subarray(position + 1, position + 1 + length))
    position += 1 + length
  }
  if (position !== bytes.length) throw invalid('it is not a witness stack')
  return items
}

function verifyKeyHash(script: Uint8Array, hash: Uint8Array, witness: readonly Uint8Array[], message: string): void {
  const [signature, key] = witness
  if (witness.length !== 2 || signature === undefined || key === undefined) throw invalid('expected a signature and a public key')
  if (key.length !== 33 || !equalBytes(hash160(key), hash)) throw invalid('it is by another key')
  // BIP143: the script code of P2WPKH is the P2PKH script of the same hash.
  const digest = toSign(script, message).preimageWitnessV0(0, OutScript.encode({ type: 'pkh', hash }), SigHash.ALL, 0n)
  if (!isEcdsa(signature, digest, key)) throw invalid('the signature is not by this address over this message')
}

function verifyNested(script: Uint8Array, hash: Uint8Array, witness: readonly Uint8Array[], message: string): void {
  const keyHash = hash160(witness[1] ?? new Uint8Array())
  if (!equalBytes(hash160(OutScript.encode({ type: 'wpkh', hash: keyHash })), hash)) throw invalid('it is by another key')
  verifyKeyHash(script, keyHash, witness, message)
}

function verifyTaproot(script: Uint8Array, key: Uint8Array, witness: readonly Uint8Array[], message: string): void {
  const [signature] = witness
  if (witness.length !== 1 || signature === undefined) throw invalid('expected one signature by the key path of the address')
  // BIP341: 64 bytes stand for the default hash type; BIP322 allows SIGHASH_ALL besides.
  const hashType = signature.length === 64 ? SigHash.DEFAULT : SigHash.ALL
  const isKnown = signature.length === 64 || (signature.length === 65 && signature[64] === SigHash.ALL)
  const digest = toSign(script, message).preimageWitnessV1(0, [script], hashType, [0n])
  if (!isKnown || !isSchnorr(signature.subarray(0, 64), digest, key))
    throw invalid('the signature is not by this address over this message')
}

/** BIP322 demands strict DER, low S, and a signature over everything (SIGHASH_ALL). */
function isEcdsa(signature: Uint8Array, digest: Uint8Array, key: Uint8Array): boolean {
  if (signature.at(-1) !== SigHash.ALL) return false
  try {
    return secp256k1.verify(signature.subarray(0, -1), digest, key, { prehash: false, lowS: true, format: 'der' })
  } catch {
    return false
  }
}

function isSchnorr(signature: Uint8Array, digest: Uint8Array, key: Uint8Array): boolean {
  try {
    return schnorr.verify(signature, digest, key)
  } catch {
    return false
  }
}

function verifyCompact(hash: Uint8Array, bytes: Uint8Array, message: string, network: BitcoinNetwork): void {
  const header = bytes[0] ?? 0
  if (bytes.length !== 65 || header < 27 || header > 34)
    throw invalid('expected a compact signature of 65 bytes, as "signmessage" makes it')
  const isCompressed = header >= 31
  try {
    const recovered = Uint8Array.of((header - 27) & 3, ...bytes.subarray(1))
    const point = secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(compactDigest(message, network))
    if (equalBytes(hash160(point.toBytes(isCompressed)), hash)) return
  } catch (cause) {
    throw invalid('the signature is not by this address over this message', cause)
  }
  throw invalid('the signature is not by this address over this message')
}

function compactDigest(message: string, { coin }: BitcoinNetwork): Uint8Array {
  return sha256(sha256(concatBytes(withLength(utf8ToBytes(`${coin} Signed Message:\n`)), withLength(utf8ToBytes(message)))))
}

function withLength(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0xffff) throw new Error('a message to be signed has at most 65535 bytes')
  const length = bytes.length < 0xfd ? Uint8Array.of(bytes.length) : Uint8Array.of(0xfd, bytes.length & 0xff, bytes.length >> 8)
  return concatBytes(length, bytes)
}

/** BIP322: a transaction that no chain accepts spends one that commits to the message. Its witness is the signature. */
export function toSign(script: Uint8Array, message: string): Transaction {
  const transaction = new Transaction({ version: 0, allowUnknownVersion: true, allowUnknownOutputs: true, allowUnknownInputs: true })
  transaction.addInput({ txid: toSpendId(script, message), index: 0, sequence: 0, witnessUtxo: { script, amount: 0n } })
  transaction.addOutput({ script: Script.encode(['RETURN']), amount: 0n })
  return transaction
}

/** The only input of the transaction is `OP_0 <hash of the message>`, and its only output is the script of the address. */
export function toSpendId(script: Uint8Array, message: string): string {
  const messageHash = schnorr.utils.taggedHash('BIP0322-signed-message', utf8ToBytes(message))
  const zeroes = (count: number) => new Uint8Array(count)
  const bytes = concatBytes(
    zeroes(4),
    Uint8Array.of(1),
    zeroes(32),
    Uint8Array.of(0xff, 0xff, 0xff, 0xff, 34, 0x00, 0x20),
    messageHash,
    zeroes(4),
    Uint8Array.of(1),
    zeroes(8),
    Uint8Array.of(script.length),
    script,
    zeroes(4),
  )
  return bytesToHex(sha256(sha256(bytes)).reverse())
}

function invalid(reason: string, cause?: unknown): TandemError {
  return new TandemError('invalid_signature', `signature does not prove the address: ${reason}`, { cause })
}
