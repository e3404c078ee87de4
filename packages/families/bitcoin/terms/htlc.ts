/**
 * Computes the HTLC as a taproot output, a pure function of its terms.
 *
 *   internal key: both parties together (BIP327)      depth 1: redeem   (the common spend has the shortest proof)
 *                                                     depth 2: refund, instant refund (a signature of each party)
 */
import { schnorr } from '@noble/curves/secp256k1.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { Script, ScriptNum } from '@scure/btc-signer'
import { TAP_LEAF_VERSION, tapLeafHash } from '@scure/btc-signer/payment.js'
import { compareBytes } from '@scure/btc-signer/utils.js'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type AggregateKey, aggregateKeyOf } from './cosign/musig.ts'
import type { BitcoinNetwork } from './networks.ts'
import { parseXOnlyKey } from './script/address.ts'

/** BIP68: 16 bits of nSequence count blocks. */
const MAX_TIMELOCK = 0xffffn

export type Leaf = {
  readonly script: Uint8Array
  /** The control block proves that the leaf is part of the output (BIP341). */
  readonly controlBlock: Uint8Array
}

export type BitcoinHtlc = {
  readonly address: string
  readonly script: Uint8Array
  readonly key: AggregateKey
  /** The x-only key verifies a signature by both parties (BIP341). */
  readonly outputKey: Uint8Array
  readonly redeem: Leaf
  readonly refund: Leaf
  readonly instantRefund: Leaf
}

const MAX_CACHED = 2_000
const cached = new Map<string, BitcoinHtlc>()

/** The HTLC is cached: key aggregation takes milliseconds, and one request asks several times. Nothing in it is secret. */
export function htlcOf(terms: HtlcTerms, network: BitcoinNetwork): BitcoinHtlc {
  return cached.get(cacheKey(terms, network)) ?? cacheHtlc(terms, network, buildHtlc(terms, network))
}

export function isHtlcCached(terms: HtlcTerms, network: BitcoinNetwork): boolean {
  return cached.has(cacheKey(terms, network))
}

export function cacheHtlc(terms: HtlcTerms, network: BitcoinNetwork, htlc: BitcoinHtlc): BitcoinHtlc {
  if (cached.size >= MAX_CACHED) cached.clear()
  cached.set(cacheKey(terms, network), htlc)
  return htlc
}

function cacheKey(terms: HtlcTerms, network: BitcoinNetwork): string {
  return [network.bech32, terms.initiator, terms.redeemer, terms.secretHash, terms.timelock].join()
}

/** The HTLC is built by hand: a general taproot builder also validates our own scripts, at ten times the cost. */
export function buildHtlc(terms: HtlcTerms, network: BitcoinNetwork): BitcoinHtlc {
  const { redeem, refund, instantRefund } = leavesOf(terms)
  const [redeemHash, refundHash, instantRefundHash] = [tapLeafHash(redeem), tapLeafHash(refund), tapLeafHash(instantRefund)]
  const deeper = branchHash(refundHash, instantRefundHash)
  const key = aggregateKeyOf(terms, branchHash(redeemHash, deeper))
  const outputKey = key.output.subarray(1)
  const parity = (key.output[0] ?? 0) & 1
  // BIP341: leaf version and parity come first, then the internal key and the merkle path.
  const leaf = (script: Uint8Array, ...beside: readonly Uint8Array[]): Leaf => ({
    script,
    controlBlock: concatBytes(Uint8Array.of(TAP_LEAF_VERSION | parity), key.internalKey, ...beside),
  })
  return {
    address: bech32m.encode(network.bech32, [1, ...bech32m.toWords(outputKey)]),
    script: Script.encode([1, outputKey]),
    key,
    outputKey,
    redeem: leaf(redeem, deeper),
    refund: leaf(refund, instantRefundHash, redeemHash),
    instantRefund: leaf(instantRefund, refundHash, redeemHash),
  }
}

/** BIP341: the two children are in lexicographic order. */
function branchHash(a: Uint8Array, b: Uint8Array): Uint8Array {
  const [first, second] = compareBytes(a, b) < 0 ? [a, b] : [b, a]
  return schnorr.utils.taggedHash('TapBranch', first, second)
}

export function redeemScript(terms: HtlcTerms): Uint8Array {
  return leavesOf(terms).redeem
}

function leavesOf(terms: HtlcTerms) {
  const initiator = parseXOnlyKey(terms.initiator, 'initiator')
  const redeemer = parseXOnlyKey(terms.redeemer, 'redeemer')
  if (!/^[0-9a-f]{64}$/.test(terms.secretHash)) {
    throw new TandemError('bad_request', 'secretHash must be 32 bytes as lower-case hex')
  }
  const secretHash = hexToBytes(terms.secretHash)
  return {
    // The size check makes sure that a secret that redeems here also redeems on chains with 32-byte arguments.
    redeem: Script.encode(['SIZE', scriptNumber(32n), 'EQUALVERIFY', 'SHA256', secretHash, 'EQUALVERIFY', redeemer, 'CHECKSIG']),
    refund: Script.encode([timelockNumber(terms.timelock), 'CHECKSEQUENCEVERIFY', 'DROP', initiator, 'CHECKSIG']),
    instantRefund: Script.encode([initiator, 'CHECKSIG', redeemer, 'CHECKSIGADD', 2, 'NUMEQUAL']),
  }
}

function timelockNumber(timelock: bigint): number | Uint8Array {
  if (timelock < 1n || timelock > MAX_TIMELOCK) {
    throw new TandemError('bad_request', `timelock must be 1 to ${MAX_TIMELOCK} blocks on Bitcoin, got ${timelock}`)
  }
  return scriptNumber(timelock)
}

/** BIP342 requires minimal pushes: OP_1 … OP_16 for small numbers, the shortest little-endian form for others. */
function scriptNumber(value: bigint): number | Uint8Array {
  return value <= 16n ? Number(value) : ScriptNum().encode(value)
}
