/**
 * What a family gives the local stack: a chain in this process, money for everybody, its lines of `local.json`, and a user's wallet.
 * A family implements `LocalFamily` in a folder of its own; `index.ts` lists them.
 */
import type { Asset, AssetId, Deployment } from '../src/protocol/asset.ts'
import type { Chain } from '../src/protocol/chain.ts'
import type { FamilyName } from '../src/protocol/registry/family-data.ts'

/** `Control`: the simulator itself, for tests. `Wallet`: what the family's wallet can do besides. */
export interface LocalFamily<Control = unknown, Wallet extends LocalWallet = LocalWallet> {
  readonly name: FamilyName
  /** US dollars per whole coin, by symbol: made up. */
  readonly prices: Readonly<Record<string, string>>
  balances(asset: Asset): LocalBalances
  /** Resolves when its contracts are deployed and its faucet can pay. */
  start(chain: Chain, options: LocalChainOptions): Promise<LocalChain<Control>>
  openWallet(chain: LocalChainJson, privateKey: string): Wallet
}

export type LocalChainOptions = {
  /** Owns what the chain starts with: it deploys the contracts and pays what the faucet gives. */
  readonly faucetKey: `0x${string}`
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
  /** What `local.json` says of it besides family, network and assets. */
  readonly details: Readonly<Record<string, string | number>>
  readonly control: Control
  /** Resolves to a transaction hash. */
  give(asset: Asset, address: string, amount: bigint): Promise<string>
  /** The coin that fees are paid in, where it is no asset of the registry: enough for a long life. */
  giveGas?(address: string): Promise<void>
  /** Mines what was given, where `give` does not wait for a block. */
  confirmGifts?(): Promise<void>
  close(): Promise<void>
}

/** What the parties and each user get of an asset at the start, in the smallest unit. */
export type LocalBalances = {
  readonly solver: bigint
  /** In how many payments the solver gets it: one UTXO serves one order at a time. */
  readonly solverPayments: number
  readonly user: bigint
  /** For gas, or to add to a fee. */
  readonly relay: bigint
}

/** A chain in `local.json`. */
export type LocalChainJson = {
  readonly family: string
  /** What wallets know it by: the registry's `reference`. */
  readonly network: string
  readonly assets: Readonly<Record<string, { readonly token?: string; readonly htlc?: string }>>
} & Readonly<Record<string, unknown>>

/** A user's wallet on one chain: it knows `local.json` and the chain's public interface only. */
export interface LocalWallet {
  readonly address: string
  /** What the user has of an asset of this chain, in the smallest unit. */
  balance(asset: string): Promise<bigint>
  /** Sends what POST /orders asks for. Resolves to the hash of the transaction that funds the order. */
  fund(order: OrderToFund): Promise<string>
  /** Signs the initiation for PATCH ?action=initiate, after an approval if the token needs one. Absent without gasless funding. */
  signInitiation?(order: OrderToFund): Promise<string>
  /** Lets so many units of a timelock pass. */
  passTime(units: number): Promise<void>
}

/** The part of the answer to POST /orders that says how to fund the order. */
export type OrderToFund = {
  /** Where and how much to send, for sources that are funded by a plain transfer. */
  readonly to?: string
  readonly amount?: string
  /** To be sent first: brings the money to where the other transactions find it. */
  readonly core_to_evm_transfer?: TransactionRequest
  /** To be sent before the approval. */
  readonly approval_reset_transaction?: TransactionRequest
  readonly approval_transaction?: TransactionRequest | null
  readonly initiate_transaction?: TransactionRequest
  readonly typed_data?: Record<string, unknown> | null
}

/** Numbers as clients of the family expect them: hexadecimal or decimal. */
export type TransactionRequest = {
  readonly chain_id: number
  readonly to: string
  readonly data: string
  readonly value: string
  readonly gas_limit: string
}
