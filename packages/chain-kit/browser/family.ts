/** What the SDK asks of a chain family. `families/<family>/index.ts` implements it; it is loaded when a chain of the family is first used. */
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import type { Wallet } from './wallet.ts'

/** `package`: of the code, on chains where it does not follow from the address of the HTLC. */
export type PinnedDeployment = Deployment & { readonly package?: string }

/** One side of an order. Amount, asset, secret hash and timelock of the terms are verified; parties and swap id are the family's to verify. */
export type SwapSide = {
  readonly leg: Leg
  /** Of the bundled registry. */
  readonly chain: Chain
  readonly asset: Asset
  /** Pinned: of the family's `deploymentOf`, or of the integrator's `deployments`. Never of the service. */
  readonly deployment: PinnedDeployment
  readonly terms: HtlcTerms
  /** The user as they were named in the request of the order: an address, or a public key of their own. Null where none was named. */
  readonly owner: string | null
  /** The service's record of this side. */
  readonly told: SwapRecord
}

export type SourceSide = SwapSide & {
  /** The account that pays in the owner's place; null: the owner pays. */
  readonly payer: string | null
  /** Unix seconds: the order must be funded before. */
  readonly deadline: bigint
  /** The answer of POST /orders, or of GET /orders/{id}/funding. */
  readonly funding: CreateOrderResult
}

export type FundOptions = {
  /** Sign and let the service send, where the family and the asset allow it. */
  readonly gasless: boolean
  readonly signal?: AbortSignal
}

/** `signed`: the SDK gives the signature to PATCH ?action=initiate. */
export type Funded = { readonly kind: 'sent'; readonly tx: string } | { readonly kind: 'signed'; readonly signature: string | string[] }

/** A node of the integrator's choice: an RPC URL, or an Esplora URL on chains of the Bitcoin family. It is believed. */
export type Node = { readonly url: string; readonly fetch: typeof fetch; readonly signal?: AbortSignal }

export type HeldAsset = Pick<SwapSide, 'chain' | 'asset' | 'deployment'>

/** In the smallest unit. `spendable`: without what the network fee of a payment needs, where the asset itself pays it. */
export type Balance = { readonly balance: bigint; readonly spendable: bigint }

/** An open HTLC. `confirmations`: 0 while it is unconfirmed. `unitsLeft`: of its timelock, in the unit of the chain's clock. */
export type Lock = { readonly confirmations: number; readonly unitsLeft: bigint }

/** `none`: the HTLC is open, or was never made. `unknown`: the chain has forgotten it, or has not made it. */
export type Settled = 'redeemed' | 'refunded' | 'none' | 'unknown'

/** `deposit`: the one that this is said of. Anybody can pay more of them to the same HTLC, each with a timelock of its own. */
export type KeyLock = Lock & { readonly deposit: string }

/** A call of a contract. It may come from any account and pays nothing but its fee. */
export type RedeemCall = { readonly chain: string; readonly to: string; readonly data: string }

/** Who sends a transaction without the service. `node`: null where the integrator has named none; some families need none. */
export type Sender<W extends Wallet> = { readonly wallet: W; readonly node: Node | null }

/** One asset of a chain whose contracts are pinned. */
export type PinnedContract = Pick<SwapSide, 'asset' | 'deployment'>

/** What is looked for on one chain. */
export type LockSearch = {
  readonly chain: Chain
  /** Locks of other contracts do not count. */
  readonly contracts: readonly PinnedContract[]
  /** Of the phrase. */
  readonly secretHashes: ReadonlySet<Hex32>
  /** The user's own, in canonical form; some chains list locks by account alone. */
  readonly accounts: readonly string[]
  /** Unix seconds: where blocks are read, older ones are not. */
  readonly since: bigint
  /** Requests that may still be made. It decreases with each. */
  readonly budget: { left: number }
  /** `part`: from 0 to 1. */
  readonly onProgress: (part: number) => void
}

/** As a node tells it: nothing is believed before `readLock` or `settledAs` has found these terms at the pinned contract. */
export type ToldLock = PinnedContract & { readonly leg: Leg; readonly terms: HtlcTerms; readonly tx: string }

/** `since`: unix seconds; the node was asked for everything from then on. Null: for everything there is, unless `isCut`: there is more than was asked for. */
export type ToldLocks = { readonly locks: readonly ToldLock[]; readonly since: bigint | null; readonly isCut?: true }

/** `Plan`: what the wallet will be asked to sign or send; computed from the terms, never copied from the service. */
export interface SdkFamily<Plan = unknown, W extends Wallet = Wallet> {
  readonly name: FamilyName
  /** The canonical form of a payment address, in which equal addresses are equal texts. Throws for any other text. */
  parseAddress(text: string, chain: Chain): string
  /** Where the contracts of an asset are, if that follows from the asset alone; null: the integrator's `deployments` must say. */
  deploymentOf(asset: Asset, chain: Chain): Deployment | null
  /**
   * Throws `VerificationError` unless parties, swap id and everything that the user is asked to sign or send follow from the terms.
   * Fields of `funding` that are not read here must be unable to hurt: `lying-service.test.ts` lists them with the reason.
   */
  verifySource(side: SourceSide): Plan | Promise<Plan>
  /** Throws `VerificationError` unless the user is the redeemer and the swap id follows from the terms. */
  verifyDestination(side: SwapSide): void | Promise<void>
  /**
   * Before the wallet is asked for anything: throws unless it is on the chain of this side, where wallets do not see to that themselves: a secret that is shown
   * on another network pays nobody. To `pay` the contract must be ours too, as the user's node shows it: coins that are sent to an address without code are lost.
   */
  verifyWallet?(side: SwapSide, by: Sender<W>, to: 'pay' | 'settle'): Promise<void>
  /**
   * Before anybody pays: throws `NodeError` unless the node is of this chain, has a recent block and shows our contract. Its payout will be read from this
   * node, and without it a secret is not shown and a deposit perhaps not refunded.
   */
  verifyNode(side: SwapSide, node: Node): Promise<void>
  /** Asks the wallet to do what the plan says. Throws if the wallet is not of this family, or refuses. */
  fund(plan: Plan, wallet: W, options: FundOptions): Promise<Funded>
  /**
   * Reads from a node whether the HTLC of these terms is open; null: it is not. Throws `VerificationError` by the name of the field if there is another one
   * in its place. The SDK reveals a secret only for a lock that it has seen itself.
   */
  readLock(side: SwapSide, node: Node): Promise<Lock | null>
  /** How the HTLC of these terms ended, where the chain keeps that. */
  settledAs?(side: SwapSide, node: Node): Promise<Settled>
  /** Refunds the user after the timelock by a transaction of the wallet, without the service. Resolves to its hash. Absent where the user's own key does it. */
  refund?(side: SwapSide, by: Sender<W>): Promise<string>
  /** Pays the user with the secret by a transaction of the wallet, which may be of anybody. */
  redeem?(side: SwapSide, secret: Hex32, by: Sender<W>): Promise<string>
  /** The same as a call for anybody to send, where such a call needs nothing of a node. */
  redeemCall?(side: SwapSide, secret: Hex32): RedeemCall
  /** The same of a refund. */
  refundCall?(side: SwapSide): RedeemCall
  /** Locks of the phrase, where a node lists them in a bounded number of requests. */
  findLocks?(search: LockSearch, node: Node): Promise<ToldLocks>
  /** What an address holds, where one node tells it. */
  balanceOf?(held: HeldAsset, address: string, node: Node): Promise<Balance>
  /** `findLocks` needs an account of the user: nodes list locks by account alone. */
  readonly listsLocksByAccount?: true
  /** Where the user may take part with a key of their own instead of an account. */
  readonly ownKeys?: OwnKeys
}

/** `to`: null for the key's own address. `bump`: raises the fee of a transaction that is not mined yet, where nodes allow it. */
export type KeySpend = { readonly privateKey: string; readonly to: string | null; readonly node: Node; readonly bump?: boolean }

/** What an HTLC with the user's own key needs: the parties are keys, and `owner` is the user's public key. */
export type KeySide = Pick<SwapSide, 'chain' | 'asset' | 'terms' | 'owner'>

/** `amount`: of all deposits together; `largest`: of one. */
export type LookedUp = { readonly isUsed: boolean; readonly amount: bigint; readonly largest: bigint }

/** Private keys are 32 bytes as hex. `side.owner` is the public key. Transactions are built here and broadcast through `node`; each resolves to its hash. */
export interface OwnKeys {
  publicKeyOf(privateKey: string): string
  /** Whether a text can be a party of an HTLC. */
  isPublicKey(text: string): boolean
  /** One signature for each hash. Throws `VerificationError` for a hash that is not of a refund of this order to the user's own address. */
  signInstantRefund(side: SwapSide, hashes: readonly string[], privateKey: string): readonly string[]
  /** After the timelock. */
  refund(side: KeySide, by: KeySpend): Promise<string>
  /**
   * Spends one deposit and no other: the solver can refund one whose timelock is over, and a redeem that spends that one too would fail with the secret
   * already public.
   */
  redeem(side: KeySide, secret: Hex32, deposit: string, by: KeySpend): Promise<string>
  /** The deposit that an unmined redeem with this very secret spends: nodes do not list it any more. Null: there is none, or the node does not know it. */
  sentRedeem(side: KeySide, secret: Hex32, node: Node): Promise<string | null>
  /** As `SdkFamily.readLock`. */
  readLock(side: KeySide, node: Node): Promise<KeyLock | null>
  /** What a transaction that spends a deposit does: it is told once it is in a block. `refunded`: it does not show the secret. */
  spendOf(side: KeySide, deposit: string, node: Node): Promise<'none' | 'waiting' | 'redeemed' | 'refunded'>
  /** What lies at the HTLC, and whether anything ever did. */
  lookUp(side: KeySide, node: Node): Promise<LookedUp>
  /** Moves what was paid to the addresses of these keys. Null: there is nothing that is worth its fee. */
  sweep(chain: Chain, privateKeys: readonly string[], to: string, node: Node): Promise<string | null>
}
