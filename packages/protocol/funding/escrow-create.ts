/** The transaction that makes an escrow, as the API and wallets write it. */

export type EscrowInstructions = {
  readonly account: string
  readonly destination: string
  /** Null: the destination has no tag. */
  readonly tag: number | null
  readonly amount: bigint
  /** Crypto-condition, hex. */
  readonly condition: string
  /** Seconds since 2000. */
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
