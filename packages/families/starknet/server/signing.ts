/** Everything that our keys sign on Starknet. */
import { signingOf } from '@tandem/keys/operations.ts'
import type { StarkRawSigner } from '@tandem/keys/raw-signer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Felt, felt, poseidon, shortString } from '../contract/client/felt.ts'
import { feltOf } from '../terms/address.ts'
import { type HtlcContract, refundDigestOf } from '../terms/htlc.ts'
import { bytesOfFelt } from './account.ts'
import { type AccountDeployment, deployAccountHash, type Envelope, invokeHash } from './send/transaction-hash.ts'

export type Signature = readonly [r: Felt, s: Felt]

/** The envelope is the one that was signed: its tip may be a few units higher than the one that was asked for. */
export type SignedHash = { readonly envelope: Envelope; readonly hash: Felt; readonly signature: Signature }

/** It authorizes nothing: it is neither a message of SNIP-12 nor a transaction. */
const QUESTION = shortString('tandem: does this key sign?')

export type StarknetOperations = typeof operations

const operations = {
  invoke: (signer: StarkRawSigner, envelope: Envelope, calldata: readonly Felt[]) =>
    signHash(signer, envelope, (tried) => invokeHash(tried, calldata)),

  deployAccount: (signer: StarkRawSigner, envelope: Envelope, deployment: AccountDeployment) =>
    signHash(signer, envelope, (tried) => deployAccountHash(tried, deployment)),

  refundConsent: (signer: StarkRawSigner, contract: HtlcContract, terms: HtlcTerms) => signDigest(signer, refundDigestOf(contract, terms)),

  /** The solver signs it with its account's address, to ask whether the account accepts its key. */
  question: (signer: StarkRawSigner, account: string) => signDigest(signer, questionOf(account)),
}

export const starknetSigning = signingOf('stark', operations, {
  name: 'starknet',
  // The contract knows every order by its terms.
  locksOnce: true,
})

export function questionOf(account: string): Felt {
  return poseidon([QUESTION, feltOf(account)])
}

/** A few digests in 2^50 have no signature that accounts verify. Another tip gives another digest. */
const SIGNATURE_TRIES = 3n

function signHash(signer: StarkRawSigner, envelope: Envelope, hashOf: (envelope: Envelope) => Felt): SignedHash {
  for (let more = 0n; ; more += 1n) {
    const tried = { ...envelope, fees: { ...envelope.fees, tip: envelope.fees.tip + more } }
    const hash = hashOf(tried)
    try {
      return { envelope: tried, hash, signature: signDigest(signer, hash) }
    } catch (error) {
      if (more + 1n >= SIGNATURE_TRIES) throw error
    }
  }
}

/** The account of the key verifies these two felts. */
function signDigest(signer: StarkRawSigner, digest: Felt): Signature {
  const signature = signer.signFelt(bytesOfFelt(digest))
  return [feltOfBytes(signature.subarray(0, 32)), feltOfBytes(signature.subarray(32))]
}

function feltOfBytes(bytes: Uint8Array): Felt {
  return felt(BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}
