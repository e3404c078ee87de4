/** The common part of all wallets. What else a wallet can do belongs to its families: see the other files of this folder. */
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'

export interface Wallet {
  /** The families whose chains it works on. */
  readonly families: readonly FamilyName[]
  /** The account that owns what is swapped, and gets refunds: an address in the chain's own form. */
  address(chain: Chain): Promise<string>
}
