/** Refunds before the timelock ends: the redeemer signs its consent, anyone sends it, and the contract pays the initiator. */

import { createInstantRefund as createAbility } from '@tandem/chain-kit/contract/instant-refund.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { onCurve } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Hex, isHex, size } from 'viem'
import { accountOf } from '../terms/address.ts'
import { canonicalTerms, type HtlcContract, instantRefundData, refundDigest, swapIdOf } from '../terms/htlc.ts'
import { recoverSigner } from './recover-signer.ts'
import { evmSigning } from './signing.ts'

const SIGNATURE_BYTES = 65

export type RefundPlace = {
  contractOf(terms: HtlcTerms): HtlcContract
  /** The contract names the parties like this. By default the terms stay as they are. */
  readonly evmTerms?: (terms: HtlcTerms) => HtlcTerms
  /** See the ability. If this is absent, the initiator is never called. */
  readonly maxCost?: (terms: HtlcTerms) => Promise<bigint>
  send(terms: HtlcTerms, data: Hex, outbox: Outbox): Promise<string>
}

export function createInstantRefund({ contractOf, evmTerms = (terms) => terms, maxCost, send }: RefundPlace): InstantRefundAbility {
  const digestOf = (terms: HtlcTerms) => refundDigest(contractOf(terms), evmTerms(terms))
  const partiesOf = (terms: HtlcTerms) => canonicalTerms(evmTerms(terms))

  return createAbility<Hex>({
    swapIdOf: (terms) => swapIdOf(contractOf(terms), evmTerms(terms)),
    partiesOf,
    accountOf: (signer) => accountOf(onCurve('secp256k1', signer)),
    async consent(terms, signer) {
      const signature = await evmSigning.sign('refundConsent', signer, contractOf(terms), evmTerms(terms))
      const [recovery = 0, ...digits] = [...signature].toReversed()
      return `0x${Buffer.from([...digits.toReversed(), 27 + recovery]).toString('hex')}`
    },
    async readConsent(terms, text) {
      if (!isHex(text) || size(text) !== SIGNATURE_BYTES)
        throw new TandemError('bad_request', `the consent to a refund must be a signature of ${SIGNATURE_BYTES} bytes in hex`)
      if ((await recoverSigner(digestOf(terms), text)) !== partiesOf(terms).redeemer)
        throw new TandemError('invalid_signature', 'the consent to this refund is not signed by the redeemer')
      return text
    },
    ...(maxCost !== undefined && { maxCost }),
    send: (terms, signature, outbox) => send(terms, instantRefundData(evmTerms(terms), signature), outbox),
  })
}
