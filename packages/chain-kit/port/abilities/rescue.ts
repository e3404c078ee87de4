/** Refunds from a refund package alone: no service, at most a node. Absent where users refund with their own wallets. */
import type { ChainClock, FamilyName } from '@tandem/protocol/chain.ts'
import type { Endpoints } from '../endpoints.ts'
import type { SpendableDeposit } from '../spend.ts'

export interface Rescue {
  /** Of `timelock` and `unitsLeft`. */
  readonly timelockUnit: ChainClock['unit']
  /** Builds and signs a refund offline; throws `bad_request` for an unusable package. */
  refund(refundPackage: RefundPackage, request: RescueRequest): RescueRefund
  /** Optional: finds deposits and fee rates, and broadcasts. */
  connect(refundPackage: RefundPackage, endpoints: Endpoints): RescueNode
  /** Parses a deposit with its amount, as people type it. Throws with the expected form. */
  parseDeposit(text: string): SpendableDeposit
  /** Parses a fee rate, as people type it, into the chain's own fee unit. Throws with the expected form. */
  parseFeeRate(text: string): bigint
}

/** JSON that its owner keeps in a file. The other fields belong to the family. */
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
  /** Ids of the deposits that it spends, without those that are not worth their fee. */
  readonly deposits: readonly string[]
  readonly to: string
  readonly pays: bigint
  readonly fee: bigint
  /** It can be mined this many timelock units after the block of its newest deposit. */
  readonly timelock: bigint
}

/** A dishonest node can hide deposits, but not redirect them. */
export interface RescueNode {
  /**
   * The mined and unspent deposits, with the timelock units until each can be refunded; zero or less: now.
   * `named`: only these ids. Anyone can send so many deposits that a node does not list them all.
   */
  deposits(named?: readonly string[]): Promise<readonly (SpendableDeposit & { readonly unitsLeft: bigint })[]>
  /** In the chain's own fee unit. */
  feeRate(): Promise<bigint>
  /** Throws `ChainFailure` with the node's message unless the node accepts it. */
  broadcast(transaction: string): Promise<void>
  close(): Promise<void>
}
