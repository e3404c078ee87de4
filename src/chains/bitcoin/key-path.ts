/** The key path of an HTLC deposit (BIP341): both parties together make one signature, and nothing else is shown. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { TandemError } from '../../protocol/error.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import type { MusigSigning, PartialSignature, Signer } from '../family.ts'
import { htlcOf } from './htlc.ts'
import { identityOf } from './identity.ts'
import { both, openSession, type Party, parseNonce } from './musig.ts'
import type { BitcoinNetwork } from './networks.ts'

/** One party's side of one signature over one deposit. Its secret nonce is inside of `signing` and signs once. */
export type KeyPathSide = {
  readonly terms: HtlcTerms
  readonly tweak: Uint8Array
  readonly party: Party
  readonly deposit: string
  readonly signing: MusigSigning
  /** Hex. */
  readonly nonce: string
}

export function startSide(network: BitcoinNetwork, terms: HtlcTerms, party: Party, deposit: string, signer: Signer): KeyPathSide {
  if (identityOf(signer) !== terms[party]) throw new Error(`only the ${party} of these terms takes this side`)
  const signing = signer.startMusig()
  return { terms, tweak: htlcOf(terms, network).tweak, party, deposit, signing, nonce: bytesToHex(signing.nonce) }
}

/** The own part, for whoever started with this nonce. `hash`: of the transaction, as this party itself computes it (BIP341). */
export function signPart(side: KeyPathSide, hash: Uint8Array, otherNonce: string): PartialSignature {
  const session = sessionOf(side, hash, otherNonce)
  return { nonce: side.nonce, signature: bytesToHex(side.signing.sign(session.message)) }
}

/**
 * Throws `invalid_signature` unless the other party's part is right. What comes back adds the own part and gives the whole signature, so that
 * the parts for all inputs can be looked at before anything is signed.
 */
export function checkPart(side: KeyPathSide, hash: Uint8Array, other: PartialSignature): () => Uint8Array {
  const session = sessionOf(side, hash, other.nonce)
  const part = /^[0-9a-f]{64}$/.test(other.signature) ? hexToBytes(other.signature) : null
  if (part === null || !session.isPartRight(otherParty(side.party), part))
    throw new TandemError('invalid_signature', `the ${otherParty(side.party)}'s part of the signature for ${side.deposit} is wrong`)
  return () => session.join(both(side.party, side.signing.sign(session.message), part))
}

function sessionOf({ terms, tweak, party, deposit, signing }: KeyPathSide, hash: Uint8Array, otherNonce: string) {
  const nonce = parseNonce(otherNonce)
  if (nonce === null) throw new TandemError('invalid_signature', `the ${otherParty(party)}'s nonce for ${deposit} is none (BIP327)`)
  return openSession(terms, both(party, signing.nonce, nonce), hash, tweak)
}

function otherParty(party: Party): Party {
  return party === 'initiator' ? 'redeemer' : 'initiator'
}
