/** Refunds before the timelock ends, for contracts where the redeemer's consent is enough: anyone sends it, and the contract pays the initiator. */
import type { Signer } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import type { InstantRefundAbility } from '../port/abilities/instant-refund.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { assertPayee } from './action.ts'

type Parts<C> = {
  swapIdOf(terms: HtlcTerms): SwapId
  /** Equal accounts are equal texts. Throws a TandemError for a text that is no address. */
  partiesOf(terms: HtlcTerms): { readonly initiator: string; readonly redeemer: string }
  /** The text has the form of `partiesOf`. */
  accountOf(signer: Signer): string
  /** What is signed binds the contract, the chain and every term. No node may see it: see `sign` of the ability. */
  consent(terms: HtlcTerms, signer: Signer): Promise<string>
  /** Throws a TandemError unless the redeemer consented to the refund of exactly these terms. */
  readConsent(terms: HtlcTerms, text: string): Promise<C>
  /** See the ability. */
  readonly maxCost?: (terms: HtlcTerms) => Promise<bigint>
  send(terms: HtlcTerms, consent: C, outbox: Outbox): Promise<string>
}

export function createInstantRefund<C>(parts: Parts<C>): InstantRefundAbility {
  const { swapIdOf, partiesOf, accountOf, consent, readConsent, maxCost, send } = parts

  const initiatorOf = (terms: HtlcTerms, initiator = terms.initiator) => partiesOf({ ...terms, initiator }).initiator

  /** The HTLC is funded once and pays all of it to its initiator, so there is only one refund. */
  function refundOf(terms: HtlcTerms): InstantRefund {
    const { amount, initiator } = terms
    return { deposit: swapIdOf(terms), amount, to: initiator, pays: amount }
  }

  function assertRefunds(terms: HtlcTerms, refunds: readonly InstantRefund[]): void {
    const { deposit, amount, to, pays } = refundOf(terms)
    const [given, ...others] = refunds
    const isSame =
      others.length === 0 &&
      given?.deposit === deposit &&
      given.amount === amount &&
      given.pays === pays &&
      initiatorOf(terms, given.to) === initiatorOf(terms)
    if (!isSame) throw new TandemError('bad_request', `expected one refund: of ${deposit}, which pays ${pays} to ${to}`)
  }

  return {
    ...(maxCost !== undefined && { maxCost }),
    async propose(terms, { deposits, to }) {
      assertPayee(initiatorOf(terms, to), initiatorOf(terms))
      const refund = refundOf(terms)
      return deposits.some(({ id }) => id === refund.deposit) ? [refund] : []
    },
    async sign(terms, refunds, signer) {
      assertRefunds(terms, refunds)
      if (accountOf(signer) !== partiesOf(terms).redeemer) throw new Error('only the redeemer consents to a refund')
      return consent(terms, signer)
    },
    async combine(terms, refunds, { initiator, redeemer }) {
      assertRefunds(terms, refunds)
      if (initiator.length > 0) throw new TandemError('bad_request', 'the initiator signs nothing for this refund')
      await readConsent(terms, redeemer)
      return refunds.map((refund) => ({ ...refund, signature: redeemer }))
    },
    async send(terms, refunds, outbox) {
      const given = await orWouldFail(async () => {
        assertRefunds(terms, refunds)
        return readConsent(terms, refunds[0]?.signature ?? '')
      })
      return send(terms, given, outbox)
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
