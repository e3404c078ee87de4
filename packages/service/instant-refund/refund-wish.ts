/** What the API asks of an engine, because only an engine opens the user's key: to sign the instant refunds of one order with the solver. */

export type RefundWish = {
  readonly orderId: string
  /** The refund address when the caller was checked. If it has changed since, nothing is signed. */
  readonly from: string | null
  /** The caller may have the money refunded to this address. */
  readonly to: string
  /** Only the holder of the order token may cancel an order that may still complete. */
  readonly isTokenHolder: boolean
}

/** Resolves when the signed refunds are stored, or if there was nothing left to sign. Rejects with an error that the caller may see. */
export type SignRefunds = (wish: RefundWish) => Promise<void>
