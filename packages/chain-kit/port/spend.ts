/** The deposits that a redeem or a refund spends. */

export type SpendableDeposit = { readonly id: string; readonly amount: bigint }

export type SpendRequest = {
  /** Ids of the deposits to spend, all of this HTLC. */
  readonly deposits: readonly SpendableDeposit[]
  /** The recipient, on chains where the spender chooses it; null where the contract decides. */
  readonly to: string | null
  /** The most that the recipient bears of the network fee. What is needed beyond comes from `Outbox.sponsor`. Absent: nothing was promised. */
  readonly mostFee?: bigint
}
