/** The abilities that need both parties, with their payloads. Only this file writes and reads the payloads between service and solver. */
import { TandemError } from '../../../protocol/error.ts'
import type { BatchRedeem } from '../../port/abilities/batch-redeem.ts'
import type { InstantRefundAbility } from '../../port/abilities/instant-refund.ts'
import type { BitcoinNetwork } from '../networks.ts'
import { draftCosigned, startCosigning, verifyCosigned } from './cosign.ts'
import {
  answerInstantRefund,
  beginInstantRefund,
  combineInstantRefund,
  instantRefundHashes,
  signInstantRefund,
  verifyInitiatorSignature,
} from './instant-refund.ts'
import {
  isNonces,
  readDraft,
  readNonces,
  readParts,
  readSignatures,
  readTransaction,
  writeDraft,
  writeNonces,
  writeParts,
  writeSignatures,
} from './payloads.ts'

/** The part that needs no node. */
export function instantRefundSigning(network: BitcoinNetwork): Omit<InstantRefundAbility, 'propose' | 'send'> {
  return {
    begin(terms, refunds, signer) {
      const session = beginInstantRefund(network, terms, refunds, signer)
      return { offer: writeNonces(session.nonces), finish: (answer) => session.finish(readParts(answer, refunds.length)) }
    },
    answer: (terms, refunds, offer, signer) =>
      writeParts(answerInstantRefund(network, terms, refunds, readNonces(offer, refunds.length), signer)),
    hashes: (terms, refunds) => instantRefundHashes(network, terms, refunds),
    verifyInitiatorSignature: (terms, refund, signature) => verifyInitiatorSignature(network, terms, refund, signature),
    sign: (terms, refunds, signer) => writeSignatures(refunds.map((refund) => signInstantRefund(network, terms, refund, signer))),
    combine(terms, refunds, { initiator, redeemer }) {
      const ofRedeemer = readSignatures(redeemer, refunds.length)
      return refunds.map((refund, index) => {
        const signatures = { initiator: initiator[index] ?? '', redeemer: ofRedeemer[index] ?? '' }
        const signed = combineInstantRefund(network, terms, refund, signatures)
        if (signed === null) throw new TandemError('invalid_signature', `a signature for the refund of ${refund.deposit} is wrong`)
        return signed
      })
    },
  }
}

type Cosigning = Pick<BatchRedeem, 'isOffer' | 'cosign' | 'verify'> & {
  draft(feeRate: bigint, ...args: Parameters<BatchRedeem['draft']>): string
}

export function cosigning(network: BitcoinNetwork): Cosigning {
  return {
    isOffer: isNonces,
    draft(feeRate, items, signer) {
      const read = items.map(({ offer, ...item }) => ({ ...item, nonces: readNonces(offer, item.deposits.length) }))
      return writeDraft(draftCosigned(network, read, signer, feeRate))
    },
    cosign(items) {
      const session = startCosigning(network, items)
      return {
        offers: session.nonces.map(writeNonces),
        finish(payload) {
          const draft = readDraft(payload)
          return { transaction: session.finish(draft), deposits: draft.inputs.map(({ deposit }) => deposit) }
        },
      }
    },
    verify: (transaction, items, signer) => verifyCosigned(network, readTransaction(transaction), items, signer),
  }
}
