/** Signs for the key path of an HTLC deposit (BIP341): both parties make one MuSig2 signature. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { MusigSigning, PartialSignature } from '@tandem/keys/musig2.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type AggregateKey, both, messageOf, openSession, type Party, parseNonce } from '../../terms/cosign/musig.ts'
import { htlcOf } from '../../terms/htlc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { identityOf } from '../../terms/script/user-key.ts'

/** A side is for one signature over one deposit. `signing` holds the secret nonce and signs once. */
export type KeyPathSide = {
  readonly terms: HtlcTerms
  readonly key: AggregateKey
  readonly party: Party
  readonly deposit: string
  readonly signing: MusigSigning
  readonly nonce: string
}

export function startSide(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  party: Party,
  deposit: string,
  signer: Secp256k1RawSigner,
): KeyPathSide {
  if (identityOf(signer) !== terms[party]) throw new Error(`only the ${party} of these terms may sign here`)
  const signing = signer.startMusig()
  return { terms, key: htlcOf(terms, network).key, party, deposit, signing, nonce: bytesToHex(signing.nonce) }
}

/** `hash` is the BIP341 signature hash, as this party computes it. */
export function signPartial(side: KeyPathSide, hash: Uint8Array, otherNonce: string): PartialSignature {
  const message = messageOf(side.terms, side.key, noncesOf(side, readNonce(side, otherNonce)), hash)
  return { nonce: side.nonce, signature: bytesToHex(side.signing.sign(message)) }
}

/**
 * An invalid partial signature of the other party throws `invalid_signature`. The returned function adds ours and returns the whole
 * signature. A caller verifies all inputs before it signs anything.
 */
export function verifyPartial(side: KeyPathSide, hash: Uint8Array, other: PartialSignature): () => Uint8Array {
  const nonces = noncesOf(side, readNonce(side, other.nonce))
  const message = messageOf(side.terms, side.key, nonces, hash)
  const session = openSession(side.terms, nonces, message)
  if (session === null) throw wrong(side, 'nonce')
  const part = /^[0-9a-f]{64}$/.test(other.signature) ? hexToBytes(other.signature) : null
  if (part === null || !session.isPartialValid(otherParty(side.party), part)) throw wrong(side, 'partial signature')
  return () => session.join(both(side.party, side.signing.sign(message), part))
}

function noncesOf({ party, signing }: KeyPathSide, other: Uint8Array) {
  return both(party, signing.nonce, other)
}

function readNonce(side: KeyPathSide, text: string): Uint8Array {
  const nonce = parseNonce(text)
  if (nonce === null) throw wrong(side, 'nonce')
  return nonce
}

function wrong({ party, deposit }: KeyPathSide, what: string): TandemError {
  return new TandemError('invalid_signature', `the ${otherParty(party)}'s ${what} for ${deposit} is wrong`)
}

function otherParty(party: Party): Party {
  return party === 'initiator' ? 'redeemer' : 'initiator'
}
