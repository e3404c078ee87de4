/** The API and wallets write the transaction that makes an escrow in this form. */

export type EscrowInstructions = {
  readonly account: string
  readonly destination: string
  /** The tag is null if the destination has none. */
  readonly tag: number | null
  readonly amount: bigint
  /** The crypto-condition is in hex. */
  readonly condition: string
  /** The time is in seconds since 2000. */
  readonly cancelAfter: number
}

export type EscrowCreate = {
  TransactionType: 'EscrowCreate'
  Account: string
  Destination: string
  DestinationTag?: number
  Amount: string
  Condition: string
  CancelAfter: number
}

export function escrowCreateOf({ account, destination, tag, amount, condition, cancelAfter }: EscrowInstructions): EscrowCreate {
  return {
    TransactionType: 'EscrowCreate',
    Account: account,
    Destination: destination,
    ...(tag !== null && { DestinationTag: tag }),
    Amount: amount.toString(),
    Condition: condition,
    CancelAfter: cancelAfter,
  }
}
