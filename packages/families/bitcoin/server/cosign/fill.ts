/** Fills: the redeemer signs which deposits of an HTLC it pays for, and how much. BIP340, by its key in the terms. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { onCurve, type Signer } from '@tandem/keys/key.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { identityOf } from '../script/identity.ts'

export function signFill(terms: HtlcTerms, orderId: string, fill: Fill, signer: Signer): string {
  if (identityOf(signer) !== terms.redeemer) throw new Error('only the redeemer of these terms can sign a fill')
  return bytesToHex(onCurve('secp256k1', signer).signSchnorr(fillHash(terms, orderId, fill)))
}

export function verifyFill(terms: HtlcTerms, orderId: string, fill: Fill, signature: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signature)) return false
  return schnorr.verify(hexToBytes(signature), fillHash(terms, orderId, fill), hexToBytes(terms.redeemer))
}

/** A BIP340 tagged hash, so that the signature is valid for nothing else. A list of strings has only one JSON encoding. */
function fillHash(terms: HtlcTerms, orderId: string, { deposits, blockHash, destinationAmount }: Fill): Uint8Array {
  const text = JSON.stringify([orderId, terms.asset, terms.secretHash, deposits, blockHash, destinationAmount.toString()])
  return schnorr.utils.taggedHash('Tandem/fill', utf8ToBytes(text))
}
