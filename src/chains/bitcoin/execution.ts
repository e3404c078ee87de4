/** The context of one action: its chain, node, outbox and fees. */

import type { Signer } from '../../keys/key.ts'
import type { Chain } from '../../protocol/chain.ts'
import type { Attempt, OtherAttempt, Outbox } from '../port/outbox.ts'
import type { BlocksSince } from './blocks/blocks-since.ts'
import type { BitcoinNetwork } from './networks.ts'
import type { BitcoinBackend } from './nodes/backend.ts'
import type { ParsedTransaction } from './script/transaction.ts'
import type { Pace } from './wallet/fee-estimator.ts'
import type { FeeRate } from './wallet/fees.ts'
import type { SignedTransaction } from './wallet/sign.ts'

export type KnownAttempt = Attempt & { readonly transaction: ParsedTransaction }

/** A signed transaction that an action wants to send. */
export type Draft = { readonly signed: SignedTransaction; readonly fee: bigint }

export type Execution = {
  readonly chain: Chain
  readonly network: BitcoinNetwork
  readonly backend: BitcoinBackend
  readonly outbox: Outbox
  /** Attempts of the same key for other actions. */
  readonly others: readonly OtherAttempt[]
  /** Within the bounds of the network. */
  readonly feeRate: (pace: Pace) => Promise<FeeRate>
  readonly blocks: BlocksSince
}

/** While the key is held: `others` are complete, and nobody else takes a coin. */
export type HeldExecution = Execution & {
  readonly signer: Signer
  /** Its key is held too; absent otherwise. */
  readonly sponsor?: Signer
}
