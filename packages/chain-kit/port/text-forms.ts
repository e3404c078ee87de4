/**
 * Parses addresses, parties and ids of a family. These functions are pure: they give the same result offline.
 * No other code knows a rule of hex, base58 or letter case for them.
 */

/** These exist for every chain of the registry, even if no chain of the family is served. */
export interface BasicForms {
  /** Clients of this chain name an initiation like this; `parseTransactionId` reads it. `height` is null while it is unmined. */
  formatInitiation(tx: string, height: bigint | null): string
  /**
   * The recorded form of an address, a contract, a party or a swap is for searching and comparing, never for paying.
   * No checksum is verified. Null stands for any other text.
   */
  comparable(text: string): string | null
}

/** These exist only for chains that are served. */
export interface TextForms extends BasicForms {
  /** Throws `invalid_address` with the reason if the payment address has no canonical form. */
  parseAddress(text: string): string
  /** `HtlcTerms` name a party by this canonical form: an account, or a public key. Throws `invalid_address` with the reason. */
  parseIdentity(text: string): string
  /** We record a transaction hash in this form; clients may give any form that they know. Throws `bad_request` with the reason. */
  parseTransactionId(text: string): string
  /**
   * Throws `invalid_address` or `bad_request` if the owner of this payment address cannot initiate, or `payer` (null: the owner) cannot pay
   * for it. Both are in their canonical form.
   */
  assertInitiator?(owner: string, payer: string | null): void
}
