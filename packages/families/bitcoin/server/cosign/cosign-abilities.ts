/** Gives the abilities that need both parties. Their cryptography runs in worker threads. */
import type { CosignedRedeem } from '@tandem/chain-kit/port/abilities/cosigned-redeem.ts'
import type { CosignedRefund } from '@tandem/chain-kit/port/abilities/cosigned-refund.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { checkingJobs } from './checking-jobs.ts'
import type { CosignItem } from './cosign.ts'
import { signingJobs } from './signing-jobs.ts'

export function instantRefundSigning(network: BitcoinNetwork): Pick<InstantRefundAbility, 'sign' | 'combine'> {
  return {
    sign: (terms, refunds, signer) => signingJobs.sign('signRefunds', [signer], [network, terms, refunds]),
    combine: (terms, refunds, signatures) => checkingJobs('combine', [network, terms, refunds, signatures]),
  }
}

export function refundCosigning(network: BitcoinNetwork): CosignedRefund {
  return {
    async begin(terms, refunds, signer) {
      const { value, signing } = await signingJobs.begin('beginRefund', [signer], [network, terms, refunds])
      return { offer: value, finish: (answer) => signing.finish('finishRefund', [network, terms, refunds, answer]) }
    },
    answer: (terms, refunds, offer, signer) => signingJobs.sign('answerRefund', [signer], [network, terms, refunds, offer]),
    hashes: (terms, refunds) => checkingJobs('hashes', [network, terms, refunds]),
    verifyInitiatorSignature: (terms, refund, signature) => checkingJobs('verifyInitiatorSignature', [network, terms, refund, signature]),
  }
}

type Cosigning = Pick<CosignedRedeem, 'isOffer' | 'cosign' | 'verify'> & {
  draft(feeRate: bigint, ...args: Parameters<CosignedRedeem['draft']>): Promise<string>
}

export function cosigning(network: BitcoinNetwork): Cosigning {
  return {
    isOffer: (offer, deposits) => checkingJobs('isOffer', [offer, deposits]),
    async draft(feeRate, items, signer) {
      const spends = items.map(({ offer, ...item }) => ({ ...withoutSecret(item), offer }))
      const drafted = await signingJobs.sign('draft', [signer], [network, spends, feeRate])
      if ('failure' in drafted) throw new ChainFailure(drafted.failure.kind, drafted.failure.message)
      return drafted.draft
    },
    async cosign(items) {
      const signers = items.map(({ signer }) => signer)
      const spends = items.map(withoutSecret)
      const { value, signing } = await signingJobs.begin('beginCosigning', signers, [network, spends])
      return { offers: value, finish: (draft) => signing.finish('finishCosigning', [network, spends, draft]) }
    },
    verify: (transaction, items, { curve, publicKey }) =>
      checkingJobs('verifyRedeem', [network, transaction, items.map(withoutSecret), { curve, publicKey }]),
  }
}

/** Worker threads get neither secrets nor signers. */
function withoutSecret({ terms, deposits }: CosignItem): CosignItem {
  return { terms, deposits }
}
