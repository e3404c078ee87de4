/** Checks signatures of both parties in worker threads: each takes milliseconds per deposit. Everything here is public. */
import type { PublicKey } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { jobsOf } from '@tandem/runtime/workers/jobs.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { type CosignItem, verifyCosigned } from './cosign.ts'
import { combineInstantRefund, instantRefundHashes, readInstantRefund, verifyInitiatorSignature } from './instant-refund.ts'
import { isNonces, readSignatures, readTransaction } from './payloads.ts'

type Refunds = readonly InstantRefund[]

export const jobs = {
  hashes: (network: BitcoinNetwork, terms: HtlcTerms, refunds: Refunds): readonly string[] => instantRefundHashes(network, terms, refunds),

  verifyInitiatorSignature,

  combine(
    network: BitcoinNetwork,
    terms: HtlcTerms,
    refunds: Refunds,
    { initiator, redeemer }: { readonly initiator: readonly string[]; readonly redeemer: string },
  ): readonly SignedInstantRefund[] {
    const ofRedeemer = readSignatures(redeemer, refunds.length)
    return refunds.map((refund, index) => {
      const signatures = { initiator: initiator[index] ?? '', redeemer: ofRedeemer[index] ?? '' }
      const signed = combineInstantRefund(network, terms, refund, signatures)
      if (signed === null) throw new TandemError('invalid_signature', `a signature for the refund of ${refund.deposit} is wrong`)
      return signed
    })
  },

  witnesses: (network: BitcoinNetwork, terms: HtlcTerms, refunds: readonly SignedInstantRefund[]) =>
    refunds.map((refund) => readInstantRefund(network, terms, refund)),

  isOffer: isNonces,

  verifyRedeem: (network: BitcoinNetwork, transaction: string, items: readonly CosignItem[], redeemer: PublicKey): void =>
    verifyCosigned(network, readTransaction(transaction), items, redeemer),
}

export const checkingJobs = jobsOf<typeof jobs>(import.meta.url)

export const urgentCheckingJobs = jobsOf<typeof jobs>(import.meta.url, 'urgent')
