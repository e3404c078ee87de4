/** Refunds before the timelock ends: the redeemer signs its consent, anyone sends it, and the contract pays the initiator. */

import { assertPayee } from '@tandem/chain-kit/contract/action.ts'
import type { InstantRefundAbility } from '@tandem/chain-kit/port/abilities/instant-refund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { onCurve } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import { type Hex, hexToBytes, isHex, size } from 'viem'
import { accountOf } from '../terms/address.ts'
import { canonicalTerms, type HtlcContract, instantRefundData, refundDigest, swapIdOf } from '../terms/htlc.ts'
import { recoverSigner } from './recover-signer.ts'

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
  const initiatorOf = (terms: HtlcTerms) => canonicalTerms(evmTerms(terms)).initiator
  const redeemerOf = (terms: HtlcTerms) => canonicalTerms(evmTerms(terms)).redeemer

  /** The HTLC is funded once and pays all of it to its initiator, so there is only one refund. */
  function refundOf(terms: HtlcTerms): InstantRefund {
    const { amount, initiator } = terms
    return { deposit: swapIdOf(contractOf(terms), evmTerms(terms)), amount, to: initiator, pays: amount }
  }

  function assertRefunds(terms: HtlcTerms, refunds: readonly InstantRefund[]): void {
    const { deposit, amount, to, pays } = refundOf(terms)
    const [given, ...others] = refunds
    const isSame =
      others.length === 0 &&
      given?.deposit === deposit &&
      given.amount === amount &&
      given.pays === pays &&
      initiatorOf({ ...terms, initiator: given.to }) === initiatorOf(terms)
    if (!isSame) throw new TandemError('bad_request', `expected one refund: of ${deposit}, which pays ${pays} to ${to}`)
  }

  async function parseConsent(terms: HtlcTerms, text: string): Promise<Hex> {
    if (!isHex(text) || size(text) !== SIGNATURE_BYTES)
      throw new TandemError('bad_request', `the consent to a refund must be a signature of ${SIGNATURE_BYTES} bytes in hex`)
    if ((await recoverSigner(digestOf(terms), text)) !== redeemerOf(terms))
      throw new TandemError('invalid_signature', 'the consent to this refund is not signed by the redeemer')
    return text
  }

  return {
    ...(maxCost !== undefined && { maxCost }),
    async propose(terms, { deposits, to }) {
      assertPayee(initiatorOf({ ...terms, initiator: to }), initiatorOf(terms))
      const refund = refundOf(terms)
      return deposits.some(({ id }) => id === refund.deposit) ? [refund] : []
    },
    async sign(terms, refunds, signer) {
      assertRefunds(terms, refunds)
      const key = onCurve('secp256k1', signer)
      if (accountOf(key) !== redeemerOf(terms)) throw new Error('only the redeemer consents to a refund')
      const [recovery = 0, ...digits] = [...key.signEcdsa(hexToBytes(digestOf(terms)))].toReversed()
      return `0x${Buffer.from([...digits.toReversed(), 27 + recovery]).toString('hex')}`
    },
    async combine(terms, refunds, { initiator, redeemer }) {
      assertRefunds(terms, refunds)
      if (initiator.length > 0) throw new TandemError('bad_request', 'the initiator signs nothing for this refund')
      const signature = await parseConsent(terms, redeemer)
      return refunds.map((refund) => ({ ...refund, signature }))
    },
    async send(terms, refunds, outbox) {
      const signature = await orWouldFail(async () => {
        assertRefunds(terms, refunds)
        return parseConsent(terms, refunds[0]?.signature ?? '')
      })
      return send(terms, instantRefundData(evmTerms(terms), signature), outbox)
    },
  }
}

async function orWouldFail<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof TandemError) throw new ChainFailure('would-fail', `instant refund: ${error.message}`, { cause: error })
    throw error
  }
}
