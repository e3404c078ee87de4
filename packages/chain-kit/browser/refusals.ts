/** These errors tell of something that the user has or gave. Nothing was sent or shown. */

export class InsufficientFundsError extends Error {
  override readonly name = 'InsufficientFundsError'
  /** The form is <chain>:<token>. */
  readonly asset: string
  /** Amounts are in the smallest unit. */
  readonly held: bigint
  readonly needed: bigint

  constructor(asset: string, held: bigint, needed: bigint) {
    super(`the wallet holds ${held} of ${asset}, needs ${needed} with the fee`)
    this.asset = asset
    this.held = held
    this.needed = needed
  }
}

/**
 * timelock       it has not ended
 * unconfirmed    the payment is not deep enough
 * nothing_there  the deposit was taken, or never made
 * no_node        no node of this chain is named
 * wrong_wallet   the wallet is not of this chain
 */
export type NotPossible = 'timelock' | 'unconfirmed' | 'nothing_there' | 'no_node' | 'wrong_wallet'

export class NotPossibleError extends Error {
  override readonly name = 'NotPossibleError'
  readonly reason: NotPossible
  readonly chain: string

  constructor(reason: NotPossible, chain: string, message: string) {
    super(message)
    this.reason = reason
    this.chain = chain
  }
}

/** `message` tells the user what is wrong with the phrase or the file. */
export class RescueInputError extends Error {
  override readonly name = 'RescueInputError'
}
