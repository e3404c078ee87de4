/**
 * An HTLC as the nodes show it at one moment, by quorum. It is evidence for a signature: only the families can make one, from answers of nodes, and never
 * from a row of the database.
 */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'

declare const fromNodes: unique symbol

/**
 * absent    it was never made, or the chain has forgotten it
 * open      its amount is locked now, by exactly the terms that were asked for
 * gone      it is not there: spent, or never made, on chains that do not tell which
 */
export type DepositReading =
  | { readonly id: string; readonly state: 'open'; readonly amount: bigint }
  | { readonly id: string; readonly state: 'absent' | 'redeemed' | 'refunded' | 'gone' }

export type HtlcReading = {
  readonly [fromNodes]: true
  readonly chain: ChainId
  readonly swapId: SwapId
  readonly deposits: readonly DepositReading[]
  /** The moment is just before the nodes were asked, by `performance.now()`. */
  readonly asOfMs: number
}
