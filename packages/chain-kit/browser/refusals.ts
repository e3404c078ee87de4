/** What the SDK refuses because of what the user has or gave. Nothing was sent or shown. */

/** The wallet holds less than the payment and its network fee need together. */
export class InsufficientFundsError extends Error {
  override readonly name = 'InsufficientFundsError'
  /** <chain>:<token> */
  readonly asset: string
  /** In the smallest unit. */
  readonly held: bigint
  readonly needed: bigint

  constructor(asset: string, held: bigint, needed: bigint) {
    super(`the wallet holds ${held} of ${asset}, needs ${needed} with the fee`)
    this.asset = asset
    this.held = held
    this.needed = needed
  }
}

/** `timelock`: it has not ended. `unconfirmed`: the payment is not deep enough. `nothing_there`: it was taken, or never made. `no_node`, `wrong_wallet`: of this chain. */
export type NotPossible = 'timelock' | 'unconfirmed' | 'nothing_there' | 'no_node' | 'wrong_wallet'

/** Not now, or not with what was given. */
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

/** The phrase or the file that the user gave is wrong. `message` says how, in words for that user. */
export class RescueInputError extends Error {
  override readonly name = 'RescueInputError'
}
