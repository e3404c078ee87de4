/** Defines the common part of all wallets. Each family adds what its wallets can do. */
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'

export interface Wallet {
  readonly families: readonly FamilyName[]
  /** This account owns what is swapped, and gets refunds. Its address has the chain's own form. */
  address(chain: Chain): Promise<string>
}
