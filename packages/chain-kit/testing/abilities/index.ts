/** Lists the conformance suite of each ability, and the abilities that a family has. */
import type { Abilities, FamilyAbilities } from '../../port/abilities/index.ts'
import type { ChainClient } from '../../port/client.ts'
import type { ChainFamily } from '../../port/family.ts'
import type { ConformanceRun } from '../run.fixture.ts'
import { cancelSuite } from './cancel.ts'
import { cosignedRedeemSuite } from './cosigned-redeem.ts'
import { cosignedRefundSuite } from './cosigned-refund.ts'
import { deployAccountSuite, deploySuite } from './deploy.ts'
import { depositAddressSuite } from './deposit-address.ts'
import { distributorSuite } from './distributor.ts'
import { gaslessSuite } from './gasless.ts'
import { instantRefundSuite } from './instant-refund.ts'
import { newBlocksSuite } from './new-blocks.ts'
import { partialDepositsSuite } from './partial-deposits.ts'
import { prefundSuite } from './prefund.ts'
import {
  branchEventsSuite,
  checkRecipientSuite,
  checkSenderSuite,
  finalHeightSuite,
  inspectProvidersSuite,
  legCostSuite,
  oracleSuite,
  unconfirmedEventsSuite,
} from './reading.ts'
import { rescueSuite } from './rescue.ts'
import { batchRedeemSuite, orderKeysSuite, payoutFeeSuite, payoutGasSuite, rentSuite } from './spending.ts'
import { transferSuite } from './transfer.ts'

/** A family whose swaps have addresses declares `depositAddress` in place of `prefund`, the member that both kinds of accounts share. */
export type AbilityName = keyof Abilities | keyof FamilyAbilities | 'depositAddress'

export type AbilitySuite = (run: ConformanceRun) => void

export const abilitySuites: Readonly<Record<AbilityName, AbilitySuite>> = {
  cancel: cancelSuite,
  gasless: gaslessSuite,
  prefund: prefundSuite,
  depositAddress: depositAddressSuite,
  rent: rentSuite,
  partialDeposits: partialDepositsSuite,
  instantRefund: instantRefundSuite,
  cosignedRefund: cosignedRefundSuite,
  batchRedeem: batchRedeemSuite,
  cosignedRedeem: cosignedRedeemSuite,
  orderKeys: orderKeysSuite,
  inspectProviders: inspectProvidersSuite,
  finalHeight: finalHeightSuite,
  unconfirmedEvents: unconfirmedEventsSuite,
  branchEvents: branchEventsSuite,
  payoutFee: payoutFeeSuite,
  payoutGas: payoutGasSuite,
  legCost: legCostSuite,
  checkRecipient: checkRecipientSuite,
  checkSender: checkSenderSuite,
  newBlocks: newBlocksSuite,
  distributor: distributorSuite,
  oracle: oracleSuite,
  transfer: transferSuite,
  rescue: rescueSuite,
  deployHtlc: deploySuite,
  deployAccount: deployAccountSuite,
}

/** These members are not abilities. Every other member of a client or a family is one, and needs a suite. */
const clientCore: Readonly<Record<Exclude<keyof ChainClient, keyof Abilities>, true>> = {
  chain: true,
  curve: true,
  text: true,
  identityOf: true,
  addressOf: true,
  swapId: true,
  permitSigning: true,
  prepare: true,
  verifyNode: true,
  tip: true,
  tipHint: true,
  headers: true,
  events: true,
  readHtlc: true,
  balance: true,
  funding: true,
  verifyPayout: true,
  initiate: true,
  redeem: true,
  refund: true,
  close: true,
}
const familyCore: Readonly<Record<Exclude<keyof ChainFamily, keyof FamilyAbilities>, true>> = {
  name: true,
  curve: true,
  endpointKinds: true,
  revocableSignatures: true,
  feeFromAmount: true,
  signsAs: true,
  firstBlock: true,
  signingFacts: true,
  basicForms: true,
  connect: true,
}

export function abilitiesOf(client: ChainClient, family: ChainFamily): readonly string[] {
  const beyond = (of: object, core: object) =>
    Object.entries(of)
      .filter(([name, value]) => value !== undefined && !(name in core))
      .map(([name]) => name)
  const nameOf = (ability: string) => (ability === 'prefund' && client.prefund?.addressOf !== undefined ? 'depositAddress' : ability)
  return [...beyond(client, clientCore).map(nameOf), ...beyond(family, familyCore)]
}
