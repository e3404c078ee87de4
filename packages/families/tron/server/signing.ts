/** Everything that our keys sign on Tron alone. Consents to refunds are signed as on EVM chains. */
import { sha256 } from '@noble/hashes/sha2.js'
import { accountOf } from '@tandem/evm/terms/address.ts'
import { signingOf } from '@tandem/keys/operations.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { type Creation, rawCallOf, rawCreationOf, type TransactionFrame, type TronCall } from './send/raw-data.ts'

export type TronOperations = typeof operations

/** The account of the key is the owner of what it signs. */
const operations = {
  call: async (signer: Secp256k1RawSigner, call: TronCall, frame: TransactionFrame) =>
    signed(signer, await rawCallOf(accountOf(signer), call, frame)),

  creation: async (signer: Secp256k1RawSigner, creation: Creation, frame: TransactionFrame) =>
    signed(signer, await rawCreationOf(accountOf(signer), creation, frame)),
}

export const tronSigning = signingOf('secp256k1', operations, {
  name: 'tron',
  // The contract knows every order by its terms.
  locksOnce: true,
})

function signed(signer: Secp256k1RawSigner, rawData: Uint8Array): { readonly rawData: Uint8Array; readonly signature: Uint8Array } {
  return { rawData, signature: signer.signEcdsa(sha256(rawData)) }
}
