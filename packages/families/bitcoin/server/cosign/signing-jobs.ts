/** Makes signatures of both parties in worker threads: each takes milliseconds per deposit. */
import type { CosignedTransaction } from '@tandem/chain-kit/port/abilities/cosigned-redeem.ts'
import { ChainFailure, type ChainFailureKind } from '@tandem/chain-kit/port/failure.ts'
import { onlySigner } from '@tandem/keys/lent-signers.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { signingJobsOf } from '@tandem/keys/sign-in-worker.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import type { FeeRate } from '../../terms/wallet/fees.ts'
import { splitOutpoint } from '../../terms/wallet/sign.ts'
import { type CosignItem, draftCosigned, startCosigning } from './cosign.ts'
import { answerInstantRefund, beginInstantRefund, signInstantRefund } from './instant-refund.ts'
import { readDraft, readNonces, readParts, writeDraft, writeParts, writeTexts } from './payloads.ts'

type Signers = readonly Secp256k1RawSigner[]
type Refunds = readonly InstantRefund[]
type DraftItem = CosignItem & { readonly offer: string }
type Draft = { readonly draft: string } | { readonly failure: { readonly kind: ChainFailureKind; readonly message: string } }

export type CosignJobs = typeof jobs

export const jobs = {
  beginRefund: (signers: Signers, network: BitcoinNetwork, terms: HtlcTerms, refunds: Refunds): string =>
    writeTexts(beginInstantRefund(network, terms, refunds, onlySigner(signers)).nonces),

  finishRefund: (
    signers: Signers,
    network: BitcoinNetwork,
    terms: HtlcTerms,
    refunds: Refunds,
    answer: string,
  ): readonly SignedInstantRefund[] =>
    beginInstantRefund(network, terms, refunds, onlySigner(signers)).finish(readParts(answer, refunds.length)),

  answerRefund: (signers: Signers, network: BitcoinNetwork, terms: HtlcTerms, refunds: Refunds, offer: string): string =>
    writeParts(answerInstantRefund(network, terms, refunds, readNonces(offer, refunds.length), onlySigner(signers))),

  signRefunds: (signers: Signers, network: BitcoinNetwork, terms: HtlcTerms, refunds: Refunds): string =>
    writeTexts(refunds.map((refund) => signInstantRefund(network, terms, refund, onlySigner(signers)))),

  beginCosigning: (signers: Signers, network: BitcoinNetwork, items: readonly CosignItem[]): readonly string[] =>
    startCosigning(network, withSigners(items, signers)).nonces.map(writeTexts),

  finishCosigning(signers: Signers, network: BitcoinNetwork, items: readonly CosignItem[], payload: string): CosignedTransaction {
    const draft = readDraft(payload)
    const transaction = startCosigning(network, withSigners(items, signers)).finish(draft)
    return { transaction, deposits: draft.inputs.map(({ deposit }) => deposit) }
  },

  /** A `ChainFailure` is returned: it would lose its kind as an error of a worker thread. */
  draft(signers: Signers, network: BitcoinNetwork, items: readonly DraftItem[], feeRate: FeeRate): Draft {
    const read = items.map(({ offer, ...item }) => ({ ...item, nonces: readNonces(offer, item.deposits.length) }))
    try {
      return { draft: writeDraft(draftCosigned(network, read, onlySigner(signers), feeRate)) }
    } catch (error) {
      if (!(error instanceof ChainFailure)) throw error
      return { failure: { kind: error.kind, message: error.message } }
    }
  },
}

const REFUNDING: ReadonlySet<string> = new Set(['beginRefund', 'finishRefund', 'answerRefund', 'signRefunds'])

/** What is signed is made of the same argument, and a coin has one name. */
function refunded(name: string, [, , refunds]: readonly unknown[]): readonly string[] | null {
  if (!REFUNDING.has(name)) return null
  return (refunds as Refunds).map(({ deposit }) => {
    splitOutpoint(deposit)
    return deposit
  })
}

export const signingJobs = signingJobsOf<typeof jobs>(import.meta.url, 'normal', {
  family: { name: 'bitcoin', refunded },
  names: Object.keys(jobs),
})

function withSigners(items: readonly CosignItem[], signers: Signers) {
  return items.map((item, index) => {
    const signer = signers[index]
    if (signer === undefined) throw new Error('this job takes a signer for each item')
    return { ...item, signer }
  })
}
