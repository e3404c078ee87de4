/** The one interface between Tandem and a chain family. A family is a folder beside this file that implements it. */
import type { Asset, AssetId, Deployment } from '../protocol/asset.ts'
import type { Block, Chain, FamilyName } from '../protocol/chain.ts'
import type { HtlcEvent, HtlcTerms, SwapId } from '../protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '../protocol/order.ts'
import type { Hex32 } from '../protocol/secret.ts'

export interface ChainFamily {
  readonly name: FamilyName
  /** Interfaces of the HTLCs and tokens it deploys, by schema name: 'evm:htlc_erc20' → ABI. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** The kinds of endpoints it can use; `connect` throws if one that it needs is missing. */
  readonly endpointKinds: readonly string[]
  connect(chain: Chain, options: ConnectOptions): ChainClient
}

export type ConnectOptions = {
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  /** By kind: { rpc: 'http://…' }, { esplora: 'http://…' }. A family says which kinds it needs. */
  readonly endpoints: Readonly<Record<string, string>>
}

/** All that the rest of the code may ask of a chain. */
export interface ChainClient {
  readonly chain: Chain

  // Pure: the same answer offline, so that anyone can check the service.

  /** The canonical form of a payment address; throws `invalid_address` with the reason. */
  parseAddress(text: string): string
  /** What a signer is called inside `HtlcTerms` on this chain: an account, or a public key. */
  identityOf(signer: Signer): string
  /** Where a signer holds its inventory and receives payments. */
  addressOf(signer: Signer): string
  /** How the user takes part in an HTLC: as the account that they named, or through a key made for this order. */
  readonly userParty: 'account' | 'order-key'
  swapId(terms: HtlcTerms): SwapId

  // Read.

  /** Throws unless the node is the chain it should be. */
  verifyNode(): Promise<void>
  tip(): Promise<Block>
  /** The canonical block at this height; null above the tip. */
  blockAt(height: bigint): Promise<Block | null>
  /** What happened to the watched swaps in blocks [from, to], in order. Replayable. Every event's block is canonical at the time of the answer. */
  events(watched: readonly WatchedSwap[], from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  /** The same for transactions without a block; empty where a chain shows none. */
  unconfirmedEvents(watched: readonly WatchedSwap[]): Promise<readonly HtlcEvent[]>
  /** What `owner` (an address as in `addressOf`) could spend now. */
  balance(asset: AssetId, owner: string): Promise<bigint>
  /** What the user must sign or send: the result of POST /orders. */
  funding(swap: FundingRequest): Promise<Funding>
  /** Rejects with `ChainFailure('would-fail')` if paying this out of the HTLC cannot succeed. Must not need, nor show, the secret. */
  verifyPayout(terms: HtlcTerms, to: string | null): Promise<void>
  /** The smallest part of `amount` that the last step costs out of the output itself; 0 where someone else pays it. */
  payoutFee(asset: AssetId): Promise<bigint>

  // Write. Each returns the hash of the live transaction and is safe to repeat: it looks at `outbox.attempts` first,
  // rebroadcasts or replaces what is there, and never pays the same thing twice.

  initiate(terms: HtlcTerms, outbox: Outbox): Promise<string>
  redeem(terms: HtlcTerms, spend: SpendRequest & { readonly secret: Hex32 }, outbox: Outbox): Promise<string>
  refund(terms: HtlcTerms, spend: SpendRequest, outbox: Outbox): Promise<string>

  // Abilities only some families have. Absent means unsupported.

  /**
   * For an action that is not wanted any more: makes sure that what it signed and is still unmined never will be, because money
   * that arrives late is money lost. Safe to repeat; null once nothing of it can be mined.
   */
  cancel?(outbox: Outbox): Promise<string | null>

  readonly gasless?: {
    /** Throws `invalid_signature` unless `signature` is the initiator's over exactly these terms. */
    verify(terms: HtlcTerms, signature: string): Promise<void>
    initiate(terms: HtlcTerms, signature: string, outbox: Outbox): Promise<string>
  }

  /** Both parties together give deposits back before their timelock ends. */
  readonly instantRefund?: {
    /** What is to be signed: those of the deposits that bear their fee, each paying an output of its own. */
    propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }): Promise<readonly InstantRefund[]>
    /** The redeemer's signature over exactly this deposit and this output, hex. */
    sign(terms: HtlcTerms, refund: InstantRefund, signer: Signer): Promise<string>
    verify(terms: HtlcTerms, refund: SignedInstantRefund): Promise<boolean>
    /** Adds the initiator's signatures. The fee was fixed by the redeemer's, so that it cannot be raised. */
    send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
  }

  close(): Promise<void>
}

export type WatchedSwap = {
  readonly swapId: SwapId
  readonly terms: HtlcTerms
  /** Ids of deposits known so far, whose spends must be noticed. */
  readonly deposits: readonly string[]
}

export type FundingRequest = {
  readonly terms: HtlcTerms
  /** Who will send the initiation when it is not the initiator itself. */
  readonly delegate: string | null
}

export type SpendRequest = {
  /** Ids of the deposits to spend, all of this HTLC. */
  readonly deposits: readonly { readonly id: string; readonly amount: bigint }[]
  /** Where the money goes, on chains where the spender chooses; null where the contract decides. */
  readonly to: string | null
}

/** A key that signs but never shows itself. */
export interface Signer {
  /** Compressed secp256k1. */
  readonly publicKey: Uint8Array
  /** 65 bytes: r ‖ s ‖ recovery, low s. */
  signEcdsa(hash: Uint8Array): Uint8Array
  /** BIP340, 64 bytes, by the x-only form of `publicKey`. */
  signSchnorr(hash: Uint8Array): Uint8Array
}

/** The paper trail of one action, and exclusive use of its signer on this chain while the call lasts. */
export interface Outbox {
  readonly signer: Signer
  /** What was signed for this action before, oldest first. */
  readonly attempts: readonly Attempt[]
  /** What the same signer has signed on this chain for other actions and may still be unmined, oldest first. */
  readonly others: readonly (Attempt & { readonly wanted: boolean })[]
  /** Must be awaited before broadcasting. Rejects when someone else has taken the action over. */
  record(attempt: Omit<Attempt, 'at'>): Promise<void>
  /** Seconds until the action would come too late, in the worst case; null when it never does. */
  readonly secondsLeft: bigint | null
  /** Unix seconds. */
  readonly now: bigint
}

export type Attempt = {
  readonly tx: string
  /** The signed transaction, hex. */
  readonly raw: string
  /** What it uses up, so that two transactions cannot both be valid by mistake: account nonces, outpoints. */
  readonly slots: readonly string[]
  /** In the chain's own fee unit. */
  readonly feeRate: bigint
  readonly at: bigint
}

export type Call = {
  readonly chainId: number
  readonly to: string
  readonly data: string
  readonly value: bigint
  readonly gasLimit: bigint
}

/** One variant per way of funding; the wire format is derived from it. */
export type Funding =
  | { readonly kind: 'deposit'; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'calls'
      readonly approval: Call | null
      readonly initiate: Call
      readonly typedData: Readonly<Record<string, unknown>> | null
    }

/**
 * unreachable   the node did not answer: try again
 * would-fail    the chain would refuse it now (reverted, not final, insufficient funds): try later, tell the operator
 * superseded    someone else's transaction already did or prevented it: look at the chain again
 */
export type ChainFailureKind = 'unreachable' | 'would-fail' | 'superseded'

export class ChainFailure extends Error {
  readonly kind: ChainFailureKind

  constructor(kind: ChainFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ChainFailure'
    this.kind = kind
  }
}
