/** The redeemer signs which deposits of an HTLC it pays for, and how much. It signs by BIP340 with its key in the terms. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'

export function verifyFill(terms: HtlcTerms, orderId: string, fill: Fill, signature: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signature)) return false
  return schnorr.verify(hexToBytes(signature), fillHash(terms, orderId, fill), hexToBytes(terms.redeemer))
}

/** The hash is a BIP340 tagged hash, so that the signature is valid for nothing else. A list of strings has only one JSON encoding. */
export function fillHash(terms: HtlcTerms, orderId: string, { deposits, blockHash, destinationAmount }: Fill): Uint8Array {
  const text = JSON.stringify([orderId, terms.asset, terms.secretHash, deposits, blockHash, destinationAmount.toString()])
  return schnorr.utils.taggedHash('Tandem/fill', utf8ToBytes(text))
}
