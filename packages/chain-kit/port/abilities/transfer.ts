/** Sends the key's own money to an address. No contract refuses a second payment, so the family itself must never make one. */
import type { PublicKey } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Attempt, Outbox } from '../outbox.ts'

export interface Transfer {
  /**
   * Returns the hash of the pending or mined transaction, and is safe to repeat: of all transactions that were ever recorded for this
   * transfer, at most one can pay. Where an earlier one can no longer be mined it signs no other: it rejects, and `outcome` says why.
   */
  send(transfer: TransferRequest, outbox: Outbox): Promise<string>
  /** What became of the recorded transactions, by quorum. A reorg may change it until the block is final. */
  outcome(transfer: TransferRequest, sender: string, attempts: readonly Attempt[]): Promise<TransferOutcome>
  /** Of the chain's own coin, a transfer of this much by the owner of this key takes about this now, or must leave it behind. */
  fee(transfer: Pick<TransferRequest, 'asset' | 'amount'>, owner: PublicKey): Promise<bigint>
}

/** The recipient has the canonical form of the family. */
export type TransferRequest = { readonly asset: AssetId; readonly recipient: string; readonly amount: bigint }

/**
 * pending  a recorded transaction may still be mined
 * paid     it was mined
 * failed   none of them can pay any more
 *
 * `height` is that of the block that says so. Null means one that is not above the newest.
 */
export type TransferOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'paid'; readonly tx: string; readonly height: bigint | null }
  | { readonly kind: 'failed'; readonly why: string; readonly height: bigint | null }
