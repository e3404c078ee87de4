/** What a key signs with the other party is about the deposits of its own order, and pays whom the order lets it pay. */
import { isDeepStrictEqual } from 'node:util'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { OrderAction } from '@tandem/keys/purpose.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { estimateVsize } from '../../terms/script/weight.ts'
import { feeCap } from '../../terms/wallet/fees.ts'
import { totalOf } from '../../terms/wallet/sign.ts'
import type { CosignItem } from '../cosign/cosign.ts'
import { vsizeAlone } from '../cosign/instant-refund.ts'
import { readDraft } from '../cosign/payloads.ts'
import type { CosignJobs } from '../cosign/signing-jobs.ts'
import { payoutScripts } from '../script/paid-out.ts'
import type { BitcoinOperations } from '../signing.ts'
import {
  type Asked,
  actionsOf,
  assertFee,
  assertParty,
  assertSameTerms,
  isSameScript,
  onlyAction,
  type Place,
  payeeOf,
  type RulesOf,
  readTransaction,
  refuse,
} from './request.ts'

const SIGNATURE_BYTES = 64

export function cosignRules({ network }: Place): RulesOf<Pick<BitcoinOperations, 'fill'> & CosignJobs> {
  function assertNetwork(asked: Asked, given: unknown): void {
    if (!isDeepStrictEqual(given, network)) refuse(asked, `it would be for another network than ${network.name}`)
  }

  function instantRefundBy(party: 'initiator' | 'redeemer', asked: Asked, given: unknown, terms: HtlcTerms): OrderAction {
    assertNetwork(asked, given)
    const action = onlyAction(asked)
    if (action.verb !== 'instant-refund') refuse(asked, 'it would be an instant refund')
    assertParty(asked, party, action.terms)
    assertSameTerms(asked, terms, action.terms)
    return action
  }

  /** The initiator must sign too, and sees to it where the money goes. */
  function assertConsent(asked: Asked, given: unknown, terms: HtlcTerms, refunds: readonly InstantRefund[]): void {
    instantRefundBy('redeemer', asked, given, terms)
    if (refunds.some(({ amount, pays }) => pays < 0n || pays > amount)) refuse(asked, 'a refund would pay more than its deposit')
  }

  function assertOwnRefund(asked: Asked, given: unknown, terms: HtlcTerms, refunds: readonly InstantRefund[]): void {
    const action = instantRefundBy('initiator', asked, given, terms)
    const payee = payeeOf(asked, action, network)
    const vsize = vsizeAlone(network, terms, payee, 'together')
    for (const { to, amount, pays } of refunds) {
      if (!isSameScript(scriptOfAddress(to, network), payee)) refuse(asked, `it would refund to ${to}`)
      assertFee(asked, amount - pays, feeCap(amount, vsize, network))
    }
  }

  function assertNamed(asked: Asked, terms: HtlcTerms): void {
    const actions = actionsOf(asked)
    if (actions[0].verb !== 'cosigned-redeem') refuse(asked, 'it would be a cosigned redeem')
    if (!actions.some((action) => isDeepStrictEqual(action.terms, terms))) refuse(asked, 'it would be about another order')
  }

  /** It gives the deposits away without the secret, which is never done with what we paid ourselves. The others' items have keys of their own. */
  function assertOwnItems(asked: Asked, given: unknown, items: readonly CosignItem[]): { readonly redeemer: string } {
    assertNetwork(asked, given)
    if (asked.isOrderKey !== true) refuse(asked, 'it would give away what we paid')
    const [own, ...more] = items.filter(({ terms }) => terms.initiator === identityOf(asked.key))
    if (own === undefined) return refuse(asked, 'the order is not in it')
    for (const { terms } of [own, ...more]) assertNamed(asked, terms)
    const { redeemer } = own.terms
    return items.every(({ terms }) => terms.redeemer === redeemer) ? { redeemer } : refuse(asked, 'it has several redeemers')
  }

  return {
    fill(asked, terms, orderId) {
      const action = onlyAction(asked)
      if (action.verb !== 'fill' || orderId !== action.order) refuse(asked, 'it would be the fill of another order')
      assertParty(asked, 'redeemer', action.terms)
      assertSameTerms(asked, terms, action.terms)
    },

    signRefunds: assertConsent,
    answerRefund: (asked, given, terms, refunds, _offer) => assertConsent(asked, given, terms, refunds),
    beginRefund: assertOwnRefund,
    finishRefund: (asked, given, terms, refunds, _answer) => assertOwnRefund(asked, given, terms, refunds),

    beginCosigning(asked, given, items) {
      assertOwnItems(asked, given, items)
    },

    finishCosigning(asked, given, items, payload) {
      const { redeemer } = assertOwnItems(asked, given, items)
      const { inputs, outputs } = readTransaction(asked, readDraft(payload).transaction)
      const amounts = new Map(items.flatMap(({ deposits }) => deposits.map(({ id, amount }) => [id, amount] as const)))
      const coins = inputs.map(({ outpoint }) => ({ amount: amounts.get(outpoint) ?? refuse(asked, `${outpoint} is not a deposit`) }))
      const payees = payoutScripts(redeemer)
      const scripts = outputs.map(({ script }) => script)
      if (!scripts.every((script) => payees.has(bytesToHex(script)))) refuse(asked, 'it would pay somebody else than the redeemer')
      const total = totalOf(coins)
      const vsize = estimateVsize(
        coins.map(() => [SIGNATURE_BYTES]),
        scripts,
      )
      assertFee(asked, total - totalOf(outputs), feeCap(total, vsize, network))
    },

    /** The operation itself pays the wallet of the signer, and no more than `feeCap`. */
    draft(asked, given, items, feeRate) {
      assertNetwork(asked, given)
      for (const { terms } of items) {
        assertParty(asked, 'redeemer', terms)
        assertNamed(asked, terms)
      }
      if (feeRate < network.minFeeRate || feeRate > network.maxFeeRate) refuse(asked, `its fee rate would be ${feeRate}`)
    },
  }
}
