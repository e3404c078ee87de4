/** A chain family implements this interface for the SDK in `browser/index.ts`, which is loaded on first use. */
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain, FamilyName } from '@tandem/protocol/chain.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import type { Wallet } from './wallet.ts'

/** `firstBlock` is the hash of block 1, where a network is told apart by it and the bundled registry does not know it. */
export type PinnedDeployment = Deployment & { readonly package?: string; readonly firstBlock?: string }

/** Amount, asset, secret hash and timelock of the terms are verified already. The family verifies parties and swap id. */
export type SwapSide = {
  readonly leg: Leg
  /** The chain is from the bundled registry, never from the service. */
  readonly chain: Chain
  readonly asset: Asset
  /** The deployment is from the family's `deploymentOf` or the integrator's `deployments`, never from the service. */
  readonly deployment: PinnedDeployment
  readonly terms: HtlcTerms
  /** The request of the order names the user by an address or their own public key. Null means that it names none. */
  readonly owner: string | null
  readonly record: SwapRecord
}

export type SourceSide = SwapSide & {
  /** This account pays in the owner's place. Null means that the owner pays. */
  readonly payer: string | null
  /** The order must be funded before this time in unix seconds. */
  readonly deadline: bigint
  readonly funding: CreateOrderResult
}

export type FundOptions = {
  /** If true, the user signs and the service sends, where the family and the asset allow it. */
  readonly gasless: boolean
  readonly signal?: AbortSignal
}

/** `signed` means that the SDK gives the signature to PATCH ?action=initiate, with the name of the offer that was signed, if it was one. */
export type Funded =
  | { readonly kind: 'sent'; readonly tx: string }
  | { readonly kind: 'signed'; readonly signature: string | string[]; readonly offer?: string }

/** The integrator chose this node, so it is believed. The URL is that of an RPC, or of Esplora on chains of the Bitcoin family. */
export type Node = { readonly url: string; readonly fetch: typeof fetch; readonly signal?: AbortSignal }

export type HeldAsset = Pick<SwapSide, 'chain' | 'asset' | 'deployment'>

/** Amounts are in the smallest unit. `spendable` leaves out the network fee of a payment where the asset itself pays it. */
export type Balance = { readonly balance: bigint; readonly spendable: bigint }

/** `confirmations` is 0 while the HTLC is unconfirmed. `unitsLeft` counts units of the chain's clock until the timelock ends. */
export type Lock = { readonly confirmations: number; readonly unitsLeft: bigint }

/** `none` means that the HTLC is open, or was never made; `unknown`, that the chain has forgotten the HTLC, or has not made it. */
export type Settled = 'redeemed' | 'refunded' | 'none' | 'unknown'

/** Anybody can make more deposits to the same HTLC, each with its own timelock. */
export type KeyLock = Lock & { readonly deposit: string }

export type RedeemCall = { readonly chain: string; readonly to: string; readonly data: string }

export type Sender<W extends Wallet> = { readonly wallet: W; readonly node: Node | null }

export type PinnedContract = Pick<SwapSide, 'asset' | 'deployment'>

export type LockSearch = {
  readonly chain: Chain
  /** Locks of other contracts do not count. */
  readonly contracts: readonly PinnedContract[]
  /** These hashes follow from the user's phrase. */
  readonly secretHashes: ReadonlySet<Hex32>
  /** Accounts are in canonical form. Some chains list locks by account alone. */
  readonly accounts: readonly string[]
  /** Blocks older than this time (unix seconds) are not read. */
  readonly since: bigint
  readonly budget: { left: number }
  readonly onProgress: (part: number) => void
}

/** We believe a listed lock only after `readLock` or `settledAs` found its terms at the pinned contract. */
export type ListedLock = PinnedContract & { readonly leg: Leg; readonly terms: HtlcTerms; readonly tx: string }

/** The list covers everything since `since` (unix seconds; null: everything). `isCut` means that the node had more than we asked for. */
export type ListedLocks = { readonly locks: readonly ListedLock[]; readonly since: bigint | null; readonly isCut?: true }

/** A swap that may be funded at its deposit address until `deadline` (unix seconds). `verifyDestination` has verified its parties. */
export type DepositSide = PinnedContract & { readonly chain: Chain; readonly terms: HtlcTerms; readonly deadline: bigint }

/**
 * A plain transfer to an address of its own funds a swap, on chains whose HTLCs take calls only. It is the part of `Prefund.addressOf` (chain-kit/port) for
 * users: they compute the address, and take their money out without the service. Anybody's wallet may send the calls, and pays their fee.
 */
export interface DepositAddresses<W extends Wallet> {
  /** The address is a pure function of the contract, the terms and the deadline, in the form of `parseAddress`. */
  addressOf(side: DepositSide): string
  /** Reads what the address holds of the asset. */
  amountAt(side: DepositSide, node: Node): Promise<bigint>
  /** Locks the amount, as the service does. It resolves to the hash of the transaction. */
  initiate(side: DepositSide, by: Sender<W>): Promise<string>
  /**
   * Returns all that the address holds of the asset, or of another `token` (null stands for the chain's coin), to the initiator, once no initiation can use
   * it. It resolves to the hash of the transaction.
   */
  giveBack(side: DepositSide, by: Sender<W>, token?: string | null): Promise<string>
}

/** `Plan` is computed from the terms, never copied from the service. The wallet signs or sends it. */
export interface SdkFamily<Plan = unknown, W extends Wallet = Wallet> {
  readonly name: FamilyName
  /** Equal addresses are equal texts in the canonical form. Throws for any other text. */
  parseAddress(text: string, chain: Chain): string
  /** Null means that the address does not follow from the asset alone, so the integrator's `deployments` must name it. */
  deploymentOf(asset: Asset, chain: Chain): Deployment | null
  /**
   * Throws `VerificationError` unless parties, swap id and everything that the user is asked to sign or send follow from the terms.
   * Fields of `funding` that are not read here must be unable to hurt: `lying-service.test.ts` lists them with the reason.
   */
  verifySource(side: SourceSide): Plan | Promise<Plan>
  /** Throws unless parties and swap id follow from the terms. A source is verified here too if nothing is signed for it: see `depositAddresses`. */
  verifyDestination(side: SwapSide): void | Promise<void>
  /**
   * Runs before the wallet signs anything, in families whose wallets do not check the chain. Throws unless the wallet is on the chain of this side: a secret
   * shown on another network pays nobody. To `pay`, the user's node must also show our contract: coins sent to an address without code are lost.
   */
  verifyWallet?(side: SwapSide, by: Sender<W>, to: 'pay' | 'settle'): Promise<void>
  /**
   * Runs before anybody pays. Throws `NodeError` unless the node serves this chain, has a recent block and shows our contract. The SDK will read the payout
   * from this node; without it, the SDK would show no secret and might not refund a deposit.
   */
  verifyNode(side: SwapSide, node: Node): Promise<void>
  fund(plan: Plan, wallet: W, options: FundOptions): Promise<Funded>
  /**
   * Reads the HTLC of these terms from a node; null if it is not open. Throws `VerificationError` with the name of the field if another lock is in its
   * place. The SDK reveals a secret only for a lock that it has read itself.
   */
  readLock(side: SwapSide, node: Node): Promise<Lock | null>
  /** Some chains keep how the HTLC of these terms ended. */
  settledAs?(side: SwapSide, node: Node): Promise<Settled>
  /** The wallet refunds the user after the timelock, without the service. It is absent where the user refunds with their own key. */
  refund?(side: SwapSide, by: Sender<W>): Promise<string>
  redeem?(side: SwapSide, secret: Hex32, by: Sender<W>): Promise<string>
  redeemCall?(side: SwapSide, secret: Hex32): RedeemCall
  refundCall?(side: SwapSide): RedeemCall
  findLocks?(search: LockSearch, node: Node): Promise<ListedLocks>
  balanceOf?(held: HeldAsset, address: string, node: Node): Promise<Balance>
  readonly listsLocksByAccount?: true
  /** This exists where each swap can have an address, and the HTLC is none. */
  readonly depositAddresses?: DepositAddresses<W>
  /** This exists where the user may take part with their own key instead of an account. */
  readonly ownKeys?: OwnKeys
}

/** `to` is null for the key's own address. `bump` raises the fee of an unmined transaction where nodes allow it. */
export type KeySpend = { readonly privateKey: string; readonly to: string | null; readonly node: Node; readonly bump?: boolean }

/** The parties are keys, and `owner` is the user's public key. */
export type KeySide = Pick<SwapSide, 'chain' | 'asset' | 'terms' | 'owner'>

/** `amount` sums all deposits to the address of an HTLC, `largest` is the largest one. `isUsed` means that anything was ever paid there. */
export type AddressUse = { readonly isUsed: boolean; readonly amount: bigint; readonly largest: bigint }

/** Private keys are 32 bytes as hex. `side.owner` is the public key. Transactions are built here and broadcast through `node`; each resolves to its hash. */
export interface OwnKeys {
  publicKeyOf(privateKey: string): string
  isPublicKey(text: string): boolean
  /** Throws `VerificationError` for a hash that does not belong to a refund of this order to the user's own address. */
  signInstantRefund(side: SwapSide, hashes: readonly string[], privateKey: string): readonly string[]
  refund(side: KeySide, by: KeySpend): Promise<string>
  /**
   * Spends one deposit and no other. The solver can refund a deposit whose timelock has ended, and a redeem that also spends that one would fail with
   * the secret already public.
   */
  redeem(side: KeySide, secret: Hex32, deposit: string, by: KeySpend): Promise<string>
  /** Nodes stop listing a deposit that an unmined redeem with this secret spends. Null means that the node knows no such redeem. */
  sentRedeem(side: KeySide, secret: Hex32, node: Node): Promise<string | null>
  readLock(side: KeySide, node: Node): Promise<KeyLock | null>
  /** The answer is known once the spend is in a block. A spend that does not show the secret is a refund. */
  spendOf(side: KeySide, deposit: string, node: Node): Promise<'none' | 'waiting' | 'redeemed' | 'refunded'>
  addressUse(side: KeySide, node: Node): Promise<AddressUse>
  /** Null means that nothing is worth its fee. */
  sweep(chain: Chain, privateKeys: readonly string[], to: string, node: Node): Promise<string | null>
}
