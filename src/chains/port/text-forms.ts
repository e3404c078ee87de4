/** How a family reads what names things on its chains. No hex, base58 or case rule is known elsewhere. Pure: the same answer offline. */

export interface TextForms {
  /** The canonical form of a payment address; throws `invalid_address` with the reason. */
  parseAddress(text: string): string
  /** The canonical form of a party as `HtlcTerms` name it: an account, or a public key. Throws `invalid_address` with the reason. */
  parseIdentity(text: string): string
  /** The form in which a transaction's hash is recorded, from any that clients of this chain are shown; throws `bad_request` with the reason. */
  parseTransactionId(text: string): string
  /**
   * For finding and comparing, never for paying: how an address, a party or a swap of this chain is written down if this text names it.
   * Verifies no checksum. Null for a text that names none.
   */
  comparable(text: string): string | null
}
