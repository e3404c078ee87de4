/** The service initiates with the user's signature and pays the network fee. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { RelayLimits } from '@tandem/protocol/relay-limits.ts'
import type { Outbox } from '../outbox.ts'

export interface Gasless {
  /** Some assets can be funded by a signature. Native coins mostly cannot. */
  supports(asset: AssetId): boolean
  /**
   * Throws `invalid_signature` unless `signature` is the initiator's over exactly these terms, and `bad_request` with the reason if the
   * initiation would fail now. Resolves for a swap that is initiated already.
   * The `deadline` of the order (unix seconds) is needed where the user signs it too.
   */
  verify(terms: HtlcTerms, signature: string, deadline?: bigint): Promise<void>
  initiate(terms: HtlcTerms, signature: string, outbox: Outbox, deadline?: bigint): Promise<string>
  /** The limits depend on who decides about the signature. Without this method a key decides. */
  limits?(terms: HtlcTerms, signature: string, deadline?: bigint): Promise<RelayLimits>
  /**
   * The HTLC could take this amount from the initiator now, with this signature if one is given. Null means that the swap takes nothing of
   * it, or is initiated.
   */
  spendable?(terms: HtlcTerms, deadline?: bigint, signature?: string): Promise<bigint | null>
  /** What users may sign for this asset instead of an approval: names of the offers in their funding, the best first. Whether an account can sign one may be known only with an order. */
  offers?(asset: AssetId): Promise<readonly string[]>
  /** True means that the transaction is in a block and reverted. */
  hasReverted?(tx: string): Promise<boolean>
}
