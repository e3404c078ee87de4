import { signatureBytes, type Transaction } from '@solana/kit'
import type { Signer } from '@tandem/keys/key.ts'
import { accountOf } from '../../terms/address.ts'
import { solanaSigning } from '../signing.ts'

/** Adds the signature of one signer. */
export async function signTransaction(signer: Signer, transaction: Transaction): Promise<Transaction> {
  const signature = await solanaSigning.sign('transaction', signer, Uint8Array.from(transaction.messageBytes))
  return { ...transaction, signatures: { ...transaction.signatures, [accountOf(signer)]: signatureBytes(signature) } }
}
