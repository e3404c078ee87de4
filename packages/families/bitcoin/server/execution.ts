/** Types the context of one action: its chain, node, outbox and fees. */
import type { Attempt, OtherAttempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Signer } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import type { FeeRate } from '../terms/wallet/fees.ts'
import type { SignedTransaction } from '../terms/wallet/sign.ts'
import type { BlocksSince } from './blocks/blocks-since.ts'
import type { BitcoinBackend } from './nodes/backend.ts'
import type { ParsedTransaction } from './script/transaction.ts'
import type { Pace } from './wallet/fee-estimator.ts'

export type KnownAttempt = Attempt & { readonly transaction: ParsedTransaction }

export type Draft = { readonly signed: SignedTransaction; readonly fee: bigint }

export type Execution = {
  readonly chain: Chain
  readonly network: BitcoinNetwork
  readonly backend: BitcoinBackend
  readonly outbox: Outbox
  readonly others: readonly OtherAttempt[]
  /** The rate is within the bounds of the network. */
  readonly feeRate: (pace: Pace) => Promise<FeeRate>
  readonly blocks: BlocksSince
}

/** The key is held: `others` are complete, and nobody else takes a coin. */
export type HeldExecution = Execution & {
  readonly signer: Signer
  readonly sponsor?: Signer
}
