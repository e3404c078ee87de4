/** Everything that our keys sign on the XRP Ledger. */
import { signingOf } from '@tandem/keys/operations.ts'
import { encodeForSigning } from 'xrpl'

export type UnsignedTransaction = Parameters<typeof encodeForSigning>[0]

export const xrplSigning = signingOf(
  'ed25519',
  { transaction: (signer, unsigned: UnsignedTransaction) => signer.signMessage(Buffer.from(encodeForSigning(unsigned), 'hex')) },
  // The ledger makes a new escrow for every creation, so only its sequence excludes a second one.
  { name: 'xrpl', usedUp: (_, [unsigned]) => [`sequence ${(unsigned as UnsignedTransaction).Sequence}`] },
)
