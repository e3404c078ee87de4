/** Everything that our keys sign on EVM chains. */
import type { Claim } from '@tandem/chain-kit/port/abilities/distributor.ts'
import { signingOf } from '@tandem/keys/operations.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, hashTypedData, hexToBytes, keccak256, serializeTransaction, type TransactionSerializable } from 'viem'
import { type HtlcContract, refundDigest } from '../terms/htlc.ts'
import { claimTypedData } from './claim-typed-data.ts'

export type EvmOperations = typeof operations

/** Each signature has 65 bytes: r ‖ s ‖ recovery. */
const operations = {
  transaction: (signer: Secp256k1RawSigner, unsigned: TransactionSerializable) =>
    signer.signEcdsa(keccak256(serializeTransaction(unsigned), 'bytes')),

  refundConsent: (signer: Secp256k1RawSigner, contract: HtlcContract, terms: HtlcTerms) =>
    signer.signEcdsa(hexToBytes(refundDigest(contract, terms))),

  claim: (
    signer: Secp256k1RawSigner,
    distributor: { readonly chainId: number; readonly verifyingContract: Address },
    claim: Claim,
    token: Address,
  ) => signer.signEcdsa(hexToBytes(hashTypedData(claimTypedData(distributor, claim, token)))),
}

export const evmSigning = signingOf('secp256k1', operations, {
  name: 'evm',
  // The contract knows every order by its terms.
  locksOnce: true,
  usedUp: (name, [unsigned]) => (name === 'transaction' ? [`nonce ${(unsigned as TransactionSerializable).nonce}`] : []),
})
