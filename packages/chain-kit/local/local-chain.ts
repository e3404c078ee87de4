/**
 * The part of a family in the local stack: a chain in this process, a faucet, its lines of `local.json`, and a user's wallet.
 * A family implements `LocalFamily` in a folder of its own; `index.ts` lists them.
 */
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'

/** `Control`: the simulator, for tests. `Wallet`: the family's wallet with its own methods. */
export interface LocalFamily<Control = unknown, Wallet extends LocalWallet = LocalWallet> {
  readonly name: FamilyName
  /** US dollars per whole coin, by symbol; invented. */
  readonly prices: Readonly<Record<string, string>>
  balances(asset: Asset): LocalBalances
  /** Resolves when its contracts are deployed and its faucet can pay. */
  start(chain: Chain, options: LocalChainOptions): Promise<LocalChain<Control>>
  openWallet(chain: LocalChainJson, privateKey: string): Wallet
}

export type LocalChainOptions = {
  /** Owns the initial supply: deploys the contracts and pays for the faucet. */
  readonly faucetKey: `0x${string}`
  /** Signs what affiliates may claim: the chain gets the contract that pays by its signatures, where the family has one. */
  readonly claimsKey?: `0x${string}`
  readonly mining: LocalMining
}

/**
 * instant   a block for every transaction
 * timed     blocks at the pace that the registry states
 */
export type LocalMining = 'instant' | 'timed'

export interface LocalChain<Control = unknown> {
  /** URLs by kind, for the parties' configuration. */
  readonly endpoints: Readonly<Record<string, string>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
  /** There is a contract that pays affiliates by the signatures of `claimsKey`. */
  readonly paysAffiliates?: boolean
  /** Further fields of the chain in `local.json`. */
  readonly details: Readonly<Record<string, string | number>>
  readonly control: Control
  /** Pays from the faucet. Resolves to a transaction hash. */
  fund(asset: Asset, address: string, amount: bigint): Promise<string>
  /** Pays the chain's own coin, if that is not an asset of the registry. Resolves to a transaction hash. */
  fundCoin?(address: string, amount: bigint): Promise<string>
  /** Pays plenty of the fee coin, if that is not an asset of the registry. */
  fundGas?(address: string): Promise<void>
  /** Makes the account of a key usable, where accounts must be deployed first. */
  openAccount?(privateKey: string): Promise<void>
  /** Mines the payments of `fund`, if that does not wait for a block. */
  confirmFunding?(): Promise<void>
  close(): Promise<void>
}

/** Initial balances of the parties and of each user in an asset, in the smallest unit. */
export type LocalBalances = {
  readonly solver: bigint
  /** The number of payments to the solver: one UTXO serves one order at a time. */
  readonly solverPayments: number
  readonly user: bigint
  /** For gas, or to add to a fee. */
  readonly relay: bigint
}

/** A chain in `local.json`. */
export type LocalChainJson = {
  readonly family: string
  /** The registry's `reference`. */
  readonly network: string
  readonly assets: Readonly<Record<string, { readonly token?: string; readonly htlc?: string }>>
} & Readonly<Record<string, unknown>>

/** A user's wallet on one chain: it knows `local.json` and the chain's public interface only. */
export interface LocalWallet {
  readonly address: string
  /** The user's balance of an asset of this chain, in the smallest unit. */
  balance(asset: string): Promise<bigint>
  /** Sends the transactions of POST /orders. Resolves to the hash of the one that funds the order. */
  fund(order: OrderToFund): Promise<string>
  /** Signs the initiation for PATCH ?action=initiate, after an approval if the token needs one. Absent without gasless funding. */
  signInitiation?(order: OrderToFund): Promise<string>
  /** Lets so many units of a timelock pass. */
  passTime(units: number): Promise<void>
}

/** The answer to POST /orders, which says how to fund the order: the fields of every way of funding. A wallet uses those of its family. */
export type OrderToFund = Partial<AnyOf<CreateOrderResult>>

type AnyOf<Union> = (Union extends unknown ? (member: Union) => void : never) extends (every: infer Every) => void ? Every : never
