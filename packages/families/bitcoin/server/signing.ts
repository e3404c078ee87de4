/** What one of our keys signs alone on Bitcoin and Litecoin. `cosign/signing-jobs.ts` has what it signs with the other party. */
import { hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import { signingOf } from '@tandem/keys/operations.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { leafWitnesses, type SpendableCoin, signLeafSpends, signWalletPayment, walletWitness } from '../terms/wallet/sign.ts'
import { fillHash } from './cosign/fill.ts'

export type BitcoinOperations = typeof operations

const operations = {
  walletPayment: signWalletPayment,

  /** It signs for a coin of its wallet in a transaction whose other inputs belong to others. The transaction is without witnesses, in hex. */
  walletInput: (signer: Secp256k1RawSigner, unsigned: string, index: number, amount: bigint) =>
    walletWitness(
      signer,
      Transaction.fromRaw(hexToBytes(unsigned), { allowUnknownInputs: true, allowUnknownOutputs: true }),
      index,
      amount,
    ),

  leafSpends: signLeafSpends,
  leafWitnesses,

  fill: (signer: Secp256k1RawSigner, terms: HtlcTerms, orderId: string, fill: Fill) => signer.signSchnorr(fillHash(terms, orderId, fill)),
}

export const bitcoinSigning = signingOf('secp256k1', operations, {
  name: 'bitcoin',
  usedUp: (name, [coins]) =>
    name === 'walletPayment' ? (coins as readonly SpendableCoin[]).map(({ outpoint }) => `coin ${outpoint}`) : [],
})
