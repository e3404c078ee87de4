/** What a wallet of a private key is made of, and can do. */
import type { Wallet } from './wallet.ts'

/** `balance`: of an asset of its chain, in the smallest unit. */
export type KeyWallet = { readonly wallet: Wallet; readonly address: string; balance(): Promise<bigint> }

export type KeyWalletOptions = {
  /** <chain>:<token>: the asset that it pays with. */
  readonly asset: string
  /** Its token, on chains with tokens; null for the coin of the chain. */
  readonly token: string | null
  /** 32 bytes as hex. */
  readonly privateKey: string
  /** An RPC URL; an Esplora URL on chains of the Bitcoin family. */
  readonly node: string
}
