/** Everything that our keys sign on Solana. */
import type { Address } from '@solana/kit'
import { signingOf } from '@tandem/keys/operations.ts'
import type { Ed25519RawSigner } from '@tandem/keys/raw-signer.ts'
import { consentMessage, type Initiation } from '../contract/client/consent.ts'
import { decodeInstruction } from '../contract/client/decode.ts'
import { parseMessage } from '../terms/send/transaction.ts'

export type SolanaOperations = typeof operations

const operations = {
  /** Solana signs the message itself, without a prefix: the same key signs other messages for other chains, so it must be a transaction's. */
  transaction(signer: Ed25519RawSigner, message: Uint8Array) {
    parseMessage(message)
    return signer.signMessage(message)
  },

  refundConsent: (signer: Ed25519RawSigner, order: Address, initiation: Initiation) =>
    signer.signMessage(consentMessage(order, initiation)),
}

export const solanaSigning = signingOf('ed25519', operations, {
  name: 'solana',
  // A closed order can be initiated again by the same terms, but not up to the time that the earlier initiation named: of two with one time, at most one counts.
  usedUp: (name, [message]) =>
    name === 'transaction' ? initiationTimesOf(message as Uint8Array).map((time) => `initiation before ${time}`) : [],
})

function initiationTimesOf(message: Uint8Array): readonly bigint[] {
  return parseMessage(message).instructions.flatMap(({ programAddress, accounts = [], data = new Uint8Array() }) => {
    const event = decodeInstruction(programAddress, { programAddress, accounts: accounts.map(({ address }) => address), data })
    return event?.kind === 'initiated' ? [event.initiateBefore] : []
  })
}
