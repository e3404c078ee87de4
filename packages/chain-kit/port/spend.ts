/** Defines the deposits that a redeem or a refund spends. */

export type SpendableDeposit = { readonly id: string; readonly amount: bigint }

export type SpendRequest = {
  readonly deposits: readonly SpendableDeposit[]
  /** The spender chooses the recipient on some chains. Null means that the contract decides. */
  readonly to: string | null
  /** The recipient bears at most this much of the network fee; `Outbox.sponsor` pays the remainder. It is absent without a promise. */
  readonly maxFee?: bigint
  /** The redeem also gives the recipient this much of the chain's coin, out of the sender's own: see `PayoutGas`. It is absent where nothing is given. */
  readonly gas?: bigint
}
