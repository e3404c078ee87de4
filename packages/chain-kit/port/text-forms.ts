/**
 * How a family parses addresses, parties and ids. Pure: the same result offline.
 * No other code knows a rule of hex, base58 or letter case for them.
 */

/** For every chain of the registry, also where no chain of the family is served. */
export interface BasicForms {
  /** An initiation as clients of this chain expect it to be named; `parseTransactionId` reads it. `height` is null while it is unmined. */
  formatInitiation(tx: string, height: bigint | null): string
  /**
   * For searching and comparing, never for paying: the recorded form of an address, a contract, a party or a swap of this chain.
   * Verifies no checksum. Null for any other text.
   */
  comparable(text: string): string | null
}

/** For the chains that are served. */
export interface TextForms extends BasicForms {
  /** The canonical form of a payment address; throws `invalid_address` with the reason. */
  parseAddress(text: string): string
  /** The canonical form of a party as `HtlcTerms` name it: an account, or a public key. Throws `invalid_address` with the reason. */
  parseIdentity(text: string): string
  /** A transaction hash in the form we record, from any form that clients of this chain know; throws `bad_request` with the reason. */
  parseTransactionId(text: string): string
  /**
   * Throws `invalid_address` or `bad_request` if the owner of this payment address cannot initiate, or `payer` (null: the owner) cannot pay for it.
   * Both are in their canonical form. Absent: every owner can.
   */
  assertInitiator?(owner: string, payer: string | null): void
}
