/** Refunds from a refund package alone: no service, at most a node. Absent where users refund with their own wallets. */
import type { FamilyName } from '../../../protocol/registry/family-data.ts'
import type { Endpoints } from '../endpoints.ts'
import type { SpendableDeposit } from '../spend.ts'

export interface Rescue {
  /** Builds and signs a refund offline; throws `bad_request` for an unusable package. */
  refund(refundPackage: RefundPackage, request: RescueRequest): RescueRefund
  /** What a node can add to that. */
  connect(refundPackage: RefundPackage, endpoints: Endpoints): RescueNode
  /** A deposit with its amount, as people type it. Throws with the form that it expects. */
  parseDeposit(text: string): SpendableDeposit
  /** A fee rate as people type it, in the chain's own fee unit. Throws with the form that it expects. */
  parseFeeRate(text: string): bigint
}

/** JSON that its owner keeps in a file. What else it holds is the family's business. */
export type RefundPackage = { readonly family: FamilyName; readonly chain: string } & Readonly<Record<string, unknown>>

export type RescueRequest = {
  readonly deposits: readonly SpendableDeposit[]
  /** Null: the refund address of the package. */
  readonly to: string | null
  /** In the chain's own fee unit. */
  readonly feeRate: bigint
  /** Where the package has none. */
  readonly privateKey: string | null
}

export type RescueRefund = {
  /** Signed, hex. */
  readonly transaction: string
  readonly tx: string
  /** Ids of those that it spends: what is not worth its fee is left out. */
  readonly deposits: readonly string[]
  readonly to: string
  readonly pays: bigint
  readonly fee: bigint
  /** It can be mined so many timelock units after the block of the newest of its deposits. */
  readonly timelock: bigint
}

/** Whoever runs it can hide deposits, but not redirect them. */
export interface RescueNode {
  /**
   * Those in blocks and unspent, with the timelock units until each can be refunded: none, or less than none, when it can be.
   * `named`: ids of the only ones to look at. Anyone can send so many that a node does not list them all.
   */
  deposits(named?: readonly string[]): Promise<readonly (SpendableDeposit & { readonly unitsLeft: bigint })[]>
  /** In the chain's own fee unit. */
  feeRate(): Promise<bigint>
  /** Throws `ChainFailure` with the node's words unless it is taken. */
  broadcast(transaction: string): Promise<void>
  close(): Promise<void>
}
