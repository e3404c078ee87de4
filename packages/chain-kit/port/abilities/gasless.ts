/** The service initiates with the user's signature and pays the network fee. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { RelayLimits } from '@tandem/protocol/relay-limits.ts'
import type { Outbox } from '../outbox.ts'

export interface Gasless {
  /** Whether this asset can be funded by a signature. Native coins mostly cannot. */
  supports(asset: AssetId): boolean
  /**
   * Throws `invalid_signature` unless `signature` is the initiator's over exactly these terms, and `bad_request` with the reason if the
   * initiation would fail now. Resolves for a swap that is initiated already.
   * `deadline` of the order, unix seconds: needed where the user signs it too.
   */
  verify(terms: HtlcTerms, signature: string, deadline?: bigint): Promise<void>
  initiate(terms: HtlcTerms, signature: string, outbox: Outbox, deadline?: bigint): Promise<string>
  /** Depends on who decides about the signature. Without it: a key. */
  limits?(terms: HtlcTerms, signature: string): Promise<RelayLimits>
  /** How much of the asset the HTLC could take from the initiator now; null where the HTLC does not take from the initiator, or the swap is initiated already. */
  spendable?(terms: HtlcTerms, deadline?: bigint): Promise<bigint | null>
  /** Whether a transaction is in a block and reverted. */
  hasReverted?(tx: string): Promise<boolean>
}
