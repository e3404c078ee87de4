/** Gives the abilities that need both parties. Their cryptography runs in worker threads. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { CosignedRedeem } from '@tandem/chain-kit/port/abilities/cosigned-redeem.ts'
import type { CosignedRefund } from '@tandem/chain-kit/port/abilities/cosigned-refund.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { onCurve, type Signer } from '@tandem/keys/key.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { checkingJobs } from './checking-jobs.ts'
import type { CosignItem } from './cosign.ts'
import { signingJobs } from './signing-jobs.ts'

export function instantRefundSigning(network: BitcoinNetwork): Pick<InstantRefundAbility, 'sign' | 'combine'> {
  return {
    sign: (terms, refunds, signer) => signingJobs.sign('signRefunds', [onCurve('secp256k1', signer)], [network, terms, refunds]),
    combine: (terms, refunds, signatures) => checkingJobs('combine', [network, terms, refunds, signatures]),
  }
}

export function refundCosigning(network: BitcoinNetwork): CosignedRefund {
  return {
    async begin(terms, refunds, signer) {
      const { value, signing } = await signingJobs.begin('beginRefund', [onCurve('secp256k1', signer)], [network, terms, refunds])
      return { offer: value, finish: (answer) => signing.finish('finishRefund', [network, terms, refunds, answer]) }
    },
    answer: (terms, refunds, offer, signer) =>
      signingJobs.sign('answerRefund', [onCurve('secp256k1', signer)], [network, terms, refunds, offer]),
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
      const drafted = await signingJobs.sign('draft', [onCurve('secp256k1', signer)], [network, spends, feeRate])
      if ('failure' in drafted) throw new ChainFailure(drafted.failure.kind, drafted.failure.message)
      return drafted.draft
    },
    async cosign(items) {
      const signers = items.map(({ signer }) => onCurve('secp256k1', signer))
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

/** The redeemer signs which deposits of an HTLC it pays for, and how much. It signs by BIP340 with its key in the terms. */
export function signFill(terms: HtlcTerms, orderId: string, fill: Fill, signer: Signer): string {
  if (identityOf(signer) !== terms.redeemer) throw new Error('only the redeemer of these terms can sign a fill')
  return bytesToHex(onCurve('secp256k1', signer).signSchnorr(fillHash(terms, orderId, fill)))
}

export function verifyFill(terms: HtlcTerms, orderId: string, fill: Fill, signature: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signature)) return false
  return schnorr.verify(hexToBytes(signature), fillHash(terms, orderId, fill), hexToBytes(terms.redeemer))
}

/** The hash is a BIP340 tagged hash, so that the signature is valid for nothing else. A list of strings has only one JSON encoding. */
function fillHash(terms: HtlcTerms, orderId: string, { deposits, blockHash, destinationAmount }: Fill): Uint8Array {
  const text = JSON.stringify([orderId, terms.asset, terms.secretHash, deposits, blockHash, destinationAmount.toString()])
  return schnorr.utils.taggedHash('Tandem/fill', utf8ToBytes(text))
}
