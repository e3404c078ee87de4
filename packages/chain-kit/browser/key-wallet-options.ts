/** Defines the wallet of a private key, and the options that make it. */
import type { Wallet } from './wallet.ts'

/** `balance` is that of an asset of the wallet's chain, in the smallest unit. */
export type KeyWallet = { readonly wallet: Wallet; readonly address: string; balance(): Promise<bigint> }

export type KeyWalletOptions = {
  readonly asset: string
  readonly token: string | null
  /** The key is 32 bytes as hex. */
  readonly privateKey: string
  /** The node is an RPC URL, or an Esplora URL on chains of the Bitcoin family. */
  readonly node: string
}
