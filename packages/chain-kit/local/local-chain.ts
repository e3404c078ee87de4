/**
 * This is the part of a family in the local stack: a chain in this process, a faucet, its lines of `local.json`, and a user's wallet.
 * A family implements `LocalFamily` in a folder of its own; `index.ts` lists them.
 */
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'

/** `Control` is the simulator, for tests. `Wallet` is the family's wallet with its own methods. */
export interface LocalFamily<Control = unknown, Wallet extends LocalWallet = LocalWallet> {
  readonly name: FamilyName
  /** These invented prices are US dollars per whole coin, by symbol. */
  readonly prices: Readonly<Record<string, string>>
  balances(asset: Asset): LocalBalances
  start(chain: Chain, options: LocalChainOptions): Promise<LocalChain<Control>>
  openWallet(chain: LocalChainJson, privateKey: string): Wallet
}

export type LocalChainOptions = {
  /** The account of this key owns the initial supply, deploys the contracts and pays for the faucet. */
  readonly faucetKey: `0x${string}`
  /** This key signs what affiliates may claim. The chain gets the contract that pays by its signatures, where the family has one. */
  readonly claimsKey?: `0x${string}`
  readonly mining: LocalMining
}

/**
 * instant   a block for every transaction
 * timed     blocks at the pace that the registry states
 */
export type LocalMining = 'instant' | 'timed'

export interface LocalChain<Control = unknown> {
  readonly endpoints: Readonly<Record<string, string>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
  /** If true, a contract pays affiliates by the signatures of `claimsKey`. */
  readonly paysAffiliates?: boolean
  /** A payout of a token can also give some of the chain's coin. */
  readonly givesGas?: true
  readonly details: Readonly<Record<string, string | number>>
  readonly control: Control
  /** Resolves to a transaction hash. */
  fund(asset: Asset, address: string, amount: bigint): Promise<string>
  /** This exists if the chain's own coin is not an asset of the registry. Resolves to a transaction hash. */
  fundCoin?(address: string, amount: bigint): Promise<string>
  /** This exists if the fee coin is not an asset of the registry. It pays plenty of the coin. */
  fundGas?(address: string): Promise<void>
  openAccount?(privateKey: string): Promise<void>
  confirmFunding?(): Promise<void>
  close(): Promise<void>
}

/** Each party and user starts with these balances in an asset, in the smallest unit. */
export type LocalBalances = {
  readonly solver: bigint
  /** One UTXO serves one order at a time, so the solver gets this many payments. */
  readonly solverPayments: number
  readonly user: bigint
  /** The relay pays for gas, or for part of a fee. */
  readonly relay: bigint
}

export type LocalChainJson = {
  readonly family: string
  readonly network: string
  readonly assets: Readonly<Record<string, { readonly token?: string; readonly htlc?: string }>>
} & Readonly<Record<string, unknown>>

/** A user's wallet on one chain knows `local.json` and the chain's public interface only. */
export interface LocalWallet {
  readonly address: string
  /** The balance is in the smallest unit. */
  balance(asset: string): Promise<bigint>
  /** Sends the transactions of POST /orders. Resolves to the hash of the one that funds the order. */
  fund(order: OrderToFund): Promise<string>
  /** Signs the initiation for PATCH ?action=initiate, after an approval if the token needs one. */
  signInitiation?(order: OrderToFund): Promise<string>
  passTime(units: number): Promise<void>
}

/** The answer to POST /orders has the fields of every way of funding. A wallet uses those of its family. */
export type OrderToFund = Partial<AnyOf<CreateOrderResult>>

type AnyOf<Union> = (Union extends unknown ? (member: Union) => void : never) extends (every: infer Every) => void ? Every : never

export function accountBalances({ decimals, maxAmount, tokenSchema }: Asset): LocalBalances {
  if (tokenSchema !== null) return { solver: 50n * maxAmount, solverPayments: 1, user: 2n * maxAmount, relay: 0n }
  const whole = 10n ** BigInt(decimals)
  return { solver: 1_000n * whole, solverPayments: 1, user: 100n * whole, relay: 100n * whole }
}
