/** What a redeem or a refund takes out of an HTLC. */

export type SpendableDeposit = { readonly id: string; readonly amount: bigint }

export type SpendRequest = {
  /** Ids of the deposits to spend, all of this HTLC. */
  readonly deposits: readonly SpendableDeposit[]
  /** Where the money goes, on chains where the spender chooses; null where the contract decides. */
  readonly to: string | null
}
