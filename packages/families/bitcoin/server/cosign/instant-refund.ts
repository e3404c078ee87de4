/**
 * Makes instant refunds: both parties spend deposits before the timelock ends, by one MuSig2 signature (key path), or, where the initiator
 * keeps its key, by a signature of each (instant-refund leaf).
 * Each deposit pays its own output. A signature covers one deposit and its output, and nothing else.
 */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { RawWitness, SigHash } from '@scure/btc-signer'
import type { Cosigning } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import type { SpendRequest } from '@tandem/chain-kit/port/spend.ts'
import type { PartialSignature } from '@tandem/keys/musig2.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { singleInputHash } from '../../terms/cosign/single-input-hash.ts'
import { htlcOf } from '../../terms/htlc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { estimateVsize } from '../../terms/script/weight.ts'
import { dustLimit, type FeeRate, feeCap, feeOf, uneconomic } from '../../terms/wallet/fees.ts'
import { compose, largestFirst, REPLACEABLE_SEQUENCE } from '../../terms/wallet/sign.ts'
import { MAX_SPENT_AT_ONCE } from '../spend/spend-size.ts'
import { signPartial, startSide, verifyPartial } from './key-path.ts'

/** BIP341: ANYONECANPAY and SINGLE sign this input and the output with the same index. */
const REFUND_SIGHASH = SigHash.SINGLE_ANYONECANPAY
/** A BIP340 signature is followed by one byte for the hash type. */
const SIGNATURE_BYTES = 65

/** Leaves out deposits that cannot pay the whole fee: they would delay the others, and get the ordinary refund later. The largest come first. */
export function proposeInstantRefunds(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  { deposits, to }: SpendRequest & { readonly to: string },
  feeRate: FeeRate,
  signing: Cosigning,
): readonly InstantRefund[] {
  const outputScript = scriptOfAddress(to, network)
  const vsize = vsizeAlone(network, terms, outputScript, signing)
  const fee = feeOf(vsize, feeRate)
  const economic = deposits
    .filter(({ amount }) => fee <= feeCap(amount, vsize, network) && amount - fee >= dustLimit(outputScript, network))
    .sort(largestFirst)
  if (economic.length === 0) {
    const largest = deposits.reduce((highest, { amount }) => (amount > highest ? amount : highest), 0n)
    throw uneconomic('an instant refund', largest, fee)
  }
  return economic.slice(0, MAX_SPENT_AT_ONCE).map(({ id, amount }) => ({ deposit: id, amount, to, pays: amount - fee }))
}

/** The refund is alone in its transaction. In a batch each refund is smaller. */
export function vsizeAlone(network: BitcoinNetwork, terms: HtlcTerms, outputScript: Uint8Array, signing: Cosigning): bigint {
  if (signing === 'together') return estimateVsize([[SIGNATURE_BYTES]], [outputScript])
  const { script, controlBlock } = htlcOf(terms, network).instantRefund
  return estimateVsize([[SIGNATURE_BYTES, SIGNATURE_BYTES, script.length, controlBlock.length]], [outputScript])
}

interface InstantRefundSession {
  readonly nonces: readonly string[]
  /** A wrong answer throws. A second call throws. */
  finish(answers: readonly PartialSignature[]): readonly SignedInstantRefund[]
}

export function beginInstantRefund(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  refunds: readonly InstantRefund[],
  signer: Secp256k1RawSigner,
): InstantRefundSession {
  const sides = refunds.map((refund) => ({ refund, side: startSide(network, terms, 'initiator', refund.deposit, signer) }))
  let isFinished = false
  return {
    nonces: sides.map(({ side }) => side.nonce),
    finish(answers) {
      if (isFinished) throw new Error('this signing session is finished: a new one needs new nonces')
      isFinished = true
      assertOneEach(refunds, answers)
      const completions = sides.map(({ refund, side }, index) => {
        const answer = answers[index]
        if (answer === undefined) throw missing(refund)
        return { refund, complete: verifyPartial(side, keyPathHash(network, terms, refund), answer) }
      })
      return completions.map(({ refund, complete }) => ({ ...refund, signature: encodeWitness([withFlag(complete())]) }))
    },
  }
}

export function answerInstantRefund(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  refunds: readonly InstantRefund[],
  nonces: readonly string[],
  signer: Secp256k1RawSigner,
): readonly PartialSignature[] {
  assertOneEach(refunds, nonces)
  return refunds.map((refund, index) => {
    const nonce = nonces[index]
    if (nonce === undefined) throw missing(refund)
    return signPartial(startSide(network, terms, 'redeemer', refund.deposit, signer), keyPathHash(network, terms, refund), nonce)
  })
}

function assertOneEach(refunds: readonly InstantRefund[], given: readonly unknown[]): void {
  if (given.length !== refunds.length)
    throw new TandemError('bad_request', `expected one answer for each of ${refunds.length} deposits, got ${given.length}`)
}

function missing({ deposit }: InstantRefund): TandemError {
  return new TandemError('bad_request', `there is no nonce or signature for the deposit ${deposit}`)
}

export function instantRefundHashes(network: BitcoinNetwork, terms: HtlcTerms, refunds: readonly InstantRefund[]): readonly string[] {
  return refunds.map((refund) => bytesToHex(leafHash(network, terms, refund)))
}

/** A malformed signature throws `bad_request`, and a wrong one `invalid_signature`. */
export function verifyInitiatorSignature(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund, signature: string): void {
  if (!/^[0-9a-f]{130}$/i.test(signature))
    throw new TandemError(
      'bad_request',
      `expected a Schnorr signature with its hash type: 65 bytes as hex, got "${signature.slice(0, 140)}"`,
    )
  const isValid =
    isSignatureHex(signature) && isSignedBy(hexToBytes(signature), leafHash(network, terms, refund), hexToBytes(terms.initiator))
  if (!isValid)
    throw new TandemError(
      'invalid_signature',
      'this is not a signature of 65 bytes in lower-case hex, ending in 83, by the key of the initiator over this hash',
    )
}

/** The redeemer's signature is valid for no other deposit, output or HTLC. */
export function signInstantRefund(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund, signer: Secp256k1RawSigner): string {
  if (identityOf(signer) !== terms.redeemer) throw new Error('only the redeemer of these terms can sign this refund')
  return bytesToHex(withFlag(signer.signSchnorr(leafHash(network, terms, refund))))
}

export function combineInstantRefund(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  refund: InstantRefund,
  signatures: { readonly initiator: string; readonly redeemer: string },
): SignedInstantRefund | null {
  if (!isSignatureHex(signatures.initiator) || !isSignatureHex(signatures.redeemer)) return null
  const { script, controlBlock } = htlcOf(terms, network).instantRefund
  // BIP342: the last item before the script is on top of the stack, and the initiator's signature is checked first.
  const witness = [hexToBytes(signatures.redeemer), hexToBytes(signatures.initiator), script, controlBlock]
  const signed = { ...refund, signature: encodeWitness(witness) }
  return readInstantRefund(network, terms, signed) === null ? null : signed
}

/** The witness is null if it is invalid for exactly this deposit and output. */
export function readInstantRefund(network: BitcoinNetwork, terms: HtlcTerms, refund: SignedInstantRefund): readonly Uint8Array[] | null {
  const witness = decodeWitness(refund.signature)
  const [first, second, script, controlBlock] = witness
  if (witness.length === 1) return isSignedBy(first, keyPathHash(network, terms, refund), htlcOf(terms, network).outputKey) ? witness : null
  const leaf = htlcOf(terms, network).instantRefund
  if (witness.length !== 4 || !isEqual(script, leaf.script) || !isEqual(controlBlock, leaf.controlBlock)) return null
  const hash = leafHash(network, terms, refund)
  return isSignedBy(first, hash, hexToBytes(terms.redeemer)) && isSignedBy(second, hash, hexToBytes(terms.initiator)) ? witness : null
}

function isSignatureHex(text: string): boolean {
  return /^[0-9a-f]{130}$/.test(text)
}

function isSignedBy(signature: Uint8Array | undefined, hash: Uint8Array, key: Uint8Array): boolean {
  if (signature?.length !== SIGNATURE_BYTES || signature[SIGNATURE_BYTES - 1] !== REFUND_SIGHASH) return false
  return schnorr.verify(signature.subarray(0, -1), hash, key)
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && bytesToHex(a) === bytesToHex(b)
}

function keyPathHash(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund): Uint8Array {
  return refundHash(network, terms, refund, null)
}

function leafHash(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund): Uint8Array {
  return refundHash(network, terms, refund, htlcOf(terms, network).instantRefund.script)
}

function refundHash(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund, leaf: Uint8Array | null): Uint8Array {
  const { deposit, amount, to, pays } = refund
  const { script } = htlcOf(terms, network)
  return singleInputHash({ deposit, amount, script, output: { amount: pays, script: scriptOfAddress(to, network) } }, leaf)
}

/** Each deposit has the index of its output. */
export function composeRefunds(network: BitcoinNetwork, terms: HtlcTerms, refunds: readonly InstantRefund[]) {
  return compose(
    refunds.map(({ deposit, amount }) => ({ outpoint: deposit, amount })),
    htlcOf(terms, network).script,
    REPLACEABLE_SEQUENCE,
    refunds.map(({ to, pays }) => ({ amount: pays, script: scriptOfAddress(to, network) })),
  )
}

function withFlag(signature: Uint8Array): Uint8Array {
  return Uint8Array.of(...signature, REFUND_SIGHASH)
}

function encodeWitness(items: readonly Uint8Array[]): string {
  return bytesToHex(RawWitness.encode([...items]))
}

function decodeWitness(text: string): readonly Uint8Array[] {
  if (!/^([0-9a-f]{2})+$/.test(text)) return []
  try {
    return RawWitness.decode(hexToBytes(text))
  } catch {
    return []
  }
}
