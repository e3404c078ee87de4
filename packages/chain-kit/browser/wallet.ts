/** Defines the common part of all wallets. Each family adds what its wallets can do. */
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'

/** `amount` is in the smallest unit of the asset of the order. */
export type Payment = { readonly chain: Chain; readonly to: string; readonly amount: bigint }

export interface Wallet {
  readonly families: readonly FamilyName[]
  /** This account owns what is swapped, and gets refunds. Its address has the chain's own form. */
  address(chain: Chain): Promise<string>
}

/** Pays to an address by a plain transfer. `address` gets what is refunded or returned. */
export interface PayingWallet extends Wallet {
  /** The result is the hash of the transaction. It is empty if the user pays elsewhere. */
  pay(payment: Payment, signal?: AbortSignal): Promise<string>
}
