/** Abilities that only some chains or families have. Each is one file here and one conformance suite in `chains/testing/abilities/`. */
import type { BatchRedeem } from './batch-redeem.ts'
import type { BranchEvents } from './branch-events.ts'
import type { Cancel } from './cancel.ts'
import type { CheckRecipient } from './check-recipient.ts'
import type { CheckSender } from './check-sender.ts'
import type { CosignedRedeem } from './cosigned-redeem.ts'
import type { CosignedRefund } from './cosigned-refund.ts'
import type { DeployAccount, DeployHtlc } from './deploy.ts'
import type { Distributor } from './distributor.ts'
import type { FinalHeight } from './final-height.ts'
import type { Gasless } from './gasless.ts'
import type { InspectProviders } from './inspect-providers.ts'
import type { InstantRefundAbility } from './instant-refund.ts'
import type { ReadLegCost } from './leg-cost.ts'
import type { NewBlocks } from './new-blocks.ts'
import type { Oracle } from './oracle.ts'
import type { OrderKeys } from './order-keys.ts'
import type { PartialDeposits } from './partial-deposits.ts'
import type { PayoutFee } from './payout-fee.ts'
import type { Prefund } from './prefund.ts'
import type { Rent } from './rent.ts'
import type { Rescue } from './rescue.ts'
import type { UnconfirmedEvents } from './unconfirmed-events.ts'

/** Of a connection to one chain. */
export interface Abilities {
  readonly cancel: Cancel
  readonly gasless: Gasless
  readonly prefund: Prefund
  readonly rent: Rent
  readonly partialDeposits: PartialDeposits
  readonly instantRefund: InstantRefundAbility
  readonly cosignedRefund: CosignedRefund
  readonly batchRedeem: BatchRedeem
  readonly cosignedRedeem: CosignedRedeem
  readonly orderKeys: OrderKeys
  readonly inspectProviders: InspectProviders
  readonly finalHeight: FinalHeight
  readonly unconfirmedEvents: UnconfirmedEvents
  readonly branchEvents: BranchEvents
  readonly payoutFee: PayoutFee
  readonly legCost: ReadLegCost
  readonly checkRecipient: CheckRecipient
  readonly checkSender: CheckSender
  readonly newBlocks: NewBlocks
  readonly distributor: Distributor
  readonly oracle: Oracle
}

/** Of a family, without a connection. */
export interface FamilyAbilities {
  readonly rescue: Rescue
  readonly deployHtlc: DeployHtlc
  readonly deployAccount: DeployAccount
}
