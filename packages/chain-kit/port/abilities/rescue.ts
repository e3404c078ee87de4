/** Refunds deposits from a refund package alone, without the service and with at most one node. */
import type { ChainClock, FamilyName } from '@tandem/protocol/chain.ts'
import type { Endpoints } from '../endpoints.ts'
import type { SpendableDeposit } from '../spend.ts'

export interface Rescue {
  readonly timelockUnit: ChainClock['unit']
  /** Builds and signs a refund offline; throws `bad_request` for an unusable package. */
  refund(refundPackage: RefundPackage, request: RescueRequest): RescueRefund
  /** A node is optional: it finds deposits and fee rates, and broadcasts. */
  connect(refundPackage: RefundPackage, endpoints: Endpoints): RescueNode
  /** Parses a deposit with its amount, as people type it. Throws with the expected form. */
  parseDeposit(text: string): SpendableDeposit
  /** Parses a fee rate, as people type it, into the chain's own fee unit. Throws with the expected form. */
  parseFeeRate(text: string): bigint
}

/** The owner keeps this JSON in a file. The other fields belong to the family. */
export type RefundPackage = { readonly family: FamilyName; readonly chain: string } & Readonly<Record<string, unknown>>

export type RescueRequest = {
  readonly deposits: readonly SpendableDeposit[]
  readonly to: string | null
  /** The rate is in the chain's own fee unit. */
  readonly feeRate: bigint
  /** The key is needed if the package has none. */
  readonly privateKey: string | null
}

export type RescueRefund = {
  readonly transaction: string
  readonly tx: string
  /** The transaction spends these deposits. Those that are not worth their fee are left out. */
  readonly deposits: readonly string[]
  readonly to: string
  readonly pays: bigint
  readonly fee: bigint
  /** The transaction can be mined this many timelock units after the block of its newest deposit. */
  readonly timelock: bigint
}

/** A dishonest node can hide deposits, but not redirect them. */
export interface RescueNode {
  /**
   * The deposits are mined and unspent. `unitsLeft` is the number of timelock units until each can be refunded; zero or less means now.
   * With `named` only these ids are read: anyone can send so many deposits that a node does not list them all.
   */
  deposits(named?: readonly string[]): Promise<readonly (SpendableDeposit & { readonly unitsLeft: bigint })[]>
  /** The rate is in the chain's own fee unit. */
  feeRate(): Promise<bigint>
  broadcast(transaction: string): Promise<void>
  close(): Promise<void>
}
