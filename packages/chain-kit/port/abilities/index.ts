/** Lists the abilities of some chains or families. Each has one type here and one conformance suite in `chain-kit/testing/abilities/`. */
import type { CosignedRedeem } from './cosigned-redeem.ts'
import type { CosignedRefund } from './cosigned-refund.ts'
import type { DeployAccount, DeployHtlc } from './deploy.ts'
import type { Distributor } from './distributor.ts'
import type { Gasless } from './gasless.ts'
import type { InstantRefundAbility } from './instant-refund.ts'
import type { Prefund } from './prefund.ts'
import type {
  BranchEvents,
  CheckRecipient,
  CheckSender,
  FinalHeight,
  InspectProviders,
  NewBlocks,
  Oracle,
  ReadLegCost,
  UnconfirmedEvents,
} from './reading.ts'
import type { Rescue } from './rescue.ts'
import type { BatchRedeem, Cancel, OrderKeys, PartialDeposits, PayoutFee, PayoutGas, Rent } from './spending.ts'
import type { Transfer } from './transfer.ts'

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
  readonly payoutGas: PayoutGas
  readonly legCost: ReadLegCost
  readonly checkRecipient: CheckRecipient
  readonly checkSender: CheckSender
  readonly newBlocks: NewBlocks
  readonly distributor: Distributor
  readonly oracle: Oracle
  readonly transfer: Transfer
}

export interface FamilyAbilities {
  readonly rescue: Rescue
  readonly deployHtlc: DeployHtlc
  readonly deployAccount: DeployAccount
}
