/** The one interface between Tandem and a chain family. A family is a folder beside this file that implements it. */
import type { Asset, AssetId, Deployment } from '../protocol/asset.ts'
import type { Block, Chain, FamilyName } from '../protocol/chain.ts'
import type { Fill } from '../protocol/fill.ts'
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
  /** Builds and signs a refund from a refund package alone, offline; throws `bad_request` for one that it cannot use. Absent where users refund with their own wallets. */
  readonly rescue?: (refundPackage: RefundPackage, request: RescueRequest) => Rescue
  /** What a node can add to that; `endpoints` as in `ConnectOptions`. */
  readonly rescueNode?: (refundPackage: RefundPackage, endpoints: ConnectOptions['endpoints']) => RescueNode
  /** Puts the HTLC of one asset on its chain, unless it is there already, and proves that the code there is ours. Absent where none is needed. */
  readonly deployHtlc?: (request: DeployRequest) => Promise<DeployedHtlc>
}

export type DeployRequest = {
  readonly chain: Chain
  readonly endpoints: ConnectOptions['endpoints']
  /** As in `ConnectOptions`. */
  readonly quorum?: number
  readonly asset: Asset
  /** Null: the chain's own coin. */
  readonly token: string | null
  readonly signer: Signer
  /** True: says what would be where, and sends nothing. */
  readonly dryRun: boolean
  /** Where deterministic addresses need a contract that a chain may lack: whether to pay for bringing it there. */
  readonly bringDeployer?: boolean
  readonly onProgress: (what: string) => void
}

export type DeployedHtlc = {
  readonly htlc: string
  /** Null when it was there before, or in a dry run. */
  readonly tx: string | null
  /** Of the code that is, or would be, at the address; hex. */
  readonly codeHash: string
}

export type ConnectOptions = {
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  /** URLs by kind: { rpc: ['https://…', 'https://…'] }. A family says which kinds it needs, and of which it can use several. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>
  /** How many providers must give the same answer before it is believed where money depends on it. Default: 1. */
  readonly quorum?: number
  /** Told when a provider is left aside because it is dead, late, or contradicts others. */
  readonly onTrouble?: (what: string) => void
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
  /** Where the user may take part with a key of their own: null if the text is no key; throws `invalid_address` if it is one that cannot be used. */
  parseUserKey?(text: string): UserKey | null
  /** Throws `invalid_signature` unless whoever can spend from `address` signed `message`. */
  verifyMessage?(address: string, message: string, proof: string): void
  /** All that the initiator needs to take deposits back without us. `privateKey`: null when the initiator has it already. */
  refundPackage?(terms: HtlcTerms, privateKey: string | null, refundAddress: string | null): RefundPackage

  // Read.

  /** Throws unless the node is the chain it should be. */
  verifyNode(): Promise<void>
  tip(): Promise<Block>
  /** The canonical block at this height; null above the tip. */
  blockAt(height: bigint): Promise<Block | null>
  /**
   * Where the chain has a `finalityTag`: the height of the block that its nodes call so, 0 when there is no news of it; null when they know no
   * such tag, and depth alone counts, which does not change while connected.
   */
  finalHeight?(): Promise<bigint | null>
  /** What happened to the watched swaps in blocks [from, to], in order. Replayable. Every event's block is canonical at the time of the answer. */
  events(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  /** The same for transactions without a block; empty where a chain shows none. */
  unconfirmedEvents(watched: WatchedSwaps): Promise<readonly HtlcEvent[]>
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
    /**
     * Throws `invalid_signature` unless `signature` is the initiator's over exactly these terms, and `bad_request` with the reason if the
     * initiation would fail now. What is initiated already needs nothing more.
     */
    verify(terms: HtlcTerms, signature: string): Promise<void>
    initiate(terms: HtlcTerms, signature: string, outbox: Outbox): Promise<string>
    /** How much of the asset an initiation by signature could take from the initiator now; null when it takes nothing from there, or is made already. */
    spendable?(terms: HtlcTerms): Promise<bigint | null>
    /** Whether a transaction is in a block and failed there. */
    hasReverted?(tx: string): Promise<boolean>
  }

  /** Where a user pays to an address that belongs to one swap and its deadline alone, which is as good as a signature. */
  readonly deposits?: {
    /** What is at the address of each; however many there are, the node is asked few questions. */
    amounts(swaps: readonly DepositSwap[]): Promise<readonly bigint[]>
    /** What to pass to `gasless.initiate` in place of a signature once enough is there. */
    grant(swap: DepositSwap): string
    /**
     * Pays what is there to the initiator, when no swap can or need be made of it any more. As safe to repeat as any write; null once
     * nothing is there.
     */
    reclaim(swap: DepositSwap, outbox: Outbox): Promise<string | null>
  }

  /** Where anyone may send any amount to an HTLC, any number of times: the redeemer's word for which deposits it pays, and how much. */
  readonly openFunding?: {
    signFill(terms: HtlcTerms, orderId: string, fill: Fill, signer: Signer): string
    verifyFill(terms: HtlcTerms, orderId: string, fill: Fill, signature: string): boolean
  }

  /** Both parties together give deposits back before their timelock ends. */
  readonly instantRefund?: {
    /** What is to be signed: those of the deposits that bear their fee, each paying an output of its own. The fee depends on how they are signed. */
    propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }, signing: Cosigning): Promise<readonly InstantRefund[]>

    // With the initiator's key at hand: one round trip, one signature by both keys together.

    /** The initiator's side of one signing, which can be finished once; started anew after any failure. */
    begin(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): InstantRefundSession
    /** The redeemer's side: one answer for each refund, in the same sequence. */
    answer(terms: HtlcTerms, refunds: readonly InstantRefund[], nonces: readonly string[], signer: Signer): readonly PartialSignature[]

    // With an initiator who keeps its key: each side signs for itself.

    /** What the initiator signs for each refund (32 bytes, hex). */
    hashes(terms: HtlcTerms, refunds: readonly InstantRefund[]): readonly string[]
    /** Whether this is the initiator's own over exactly this deposit and this output. */
    isInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string): boolean
    /** The redeemer's own signature over exactly this deposit and this output, hex. */
    sign(terms: HtlcTerms, refund: InstantRefund, signer: Signer): string
    /** Null unless both signatures are valid for exactly this refund. */
    combine(
      terms: HtlcTerms,
      refund: InstantRefund,
      signatures: { readonly initiator: string; readonly redeemer: string },
    ): SignedInstantRefund | null

    /** The signer of the outbox pays what the fee has risen by since both signed, if it has coins for it. */
    send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
  }

  /** Redeems of several HTLCs by one redeemer, in one transaction. */
  readonly redeemTogether?: {
    /** `cosigned`: a transaction that the initiators have signed too, to be preferred while it can be mined; hex. Alone, secrets suffice. */
    redeem(items: readonly RedeemItem[], cosigned: string | null, outbox: Outbox): Promise<string>
    /** The redeemer's side of a transaction that all initiators sign too: cheaper, and it shows no secret. */
    draft(items: readonly (RedeemItem & { readonly nonces: readonly string[] })[], signer: Signer): Promise<CosignDraft>
    /**
     * The initiators' side, by whoever holds their keys, to be finished once. To be used only when every redeem of the other side is final:
     * it gives the deposits away.
     */
    cosign(
      items: readonly { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly signer: Signer }[],
    ): CosignSession
    /** Throws `bad_request` unless this is a complete transaction that pays the signer for deposits of these items and nothing else. */
    verify(transaction: string, items: readonly RedeemItem[], signer: Signer): void
  }

  /** For operators: what each of its providers can do. */
  inspectProviders?(): Promise<readonly ProviderReport[]>

  close(): Promise<void>
}

export type ProviderReport = {
  /** Its host: the rest of its URL may hold a key. */
  readonly name: string
  /** Null unless it is silent or serves another chain; then nothing else is known. */
  readonly error: string | null
  readonly height: bigint
  /** Blocks behind the one that is ahead of the others. */
  readonly behind: bigint
  readonly isLate: boolean
  /** It can tell what happened a week ago, which whoever was away for long must ask. */
  readonly hasOldEvents: boolean
  /** By which names it knows final blocks. */
  readonly tags: readonly string[]
}

export type WatchedSwap = {
  readonly swapId: SwapId
  readonly terms: HtlcTerms
}

/** What is watched on one chain, kept by whoever listens: a look costs what the block costs, however many are watched. */
export interface WatchedSwaps {
  readonly size: number
  bySwapId(swapId: SwapId): WatchedSwap | undefined
  /** By the id of a deposit known so far, whose spend must be noticed. */
  byDeposit(deposit: string): WatchedSwap | undefined
  /** Those in which something is expected now, with the deposits known so far: for nodes that can only be asked about one address at a time. */
  active(): Iterable<WatchedSwap & { readonly deposits: readonly string[] }>
}

/** `deadline`: until when it may be funded, unix seconds. */
export type DepositSwap = { readonly terms: HtlcTerms; readonly deadline: bigint }

export type FundingRequest = DepositSwap & {
  /** Who will send the initiation when it is not the initiator itself. */
  readonly delegate: string | null
  /** How much a token's owner is asked to allow the HTLC to take, where it has to be asked. */
  readonly approval: ApprovalMode
}

export type ApprovalMode = 'exact' | 'unlimited'

export type SpendableDeposit = { readonly id: string; readonly amount: bigint }

export type RedeemItem = { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly secret: Hex32 }

export type UserKey = {
  /** What the key is called inside `HtlcTerms`. */
  readonly identity: string
  /** Where money goes that leaves the HTLC towards its owner, unless they say otherwise. */
  readonly address: string
}

/** Two keys make one signature together (`begin`, `answer`), or each its own (`sign`, `combine`). */
export type Cosigning = 'together' | 'apart'

/** One signer's part of a signature by two keys (BIP327), hex. */
export type PartialSignature = { readonly nonce: string; readonly signature: string }

export interface InstantRefundSession {
  /** One for each refund, hex. */
  readonly nonces: readonly string[]
  /** Throws unless every answer is right. A second call throws. */
  finish(answers: readonly PartialSignature[]): readonly SignedInstantRefund[]
}

/** A redeem that waits for the initiators' part: the unsigned transaction, hex, and the redeemer's part for each of its inputs. */
export type CosignDraft = {
  readonly transaction: string
  readonly inputs: readonly (PartialSignature & { readonly deposit: string })[]
}

export interface CosignSession {
  /** For each item, one for each deposit; hex. */
  readonly nonces: readonly (readonly string[])[]
  /** The complete transaction, hex. Throws unless the draft spends deposits of the items only and the redeemer's part is right. A second call throws. */
  finish(draft: CosignDraft): string
}

/** JSON that its owner keeps in a file. What else it holds is the family's business. */
export type RefundPackage = { readonly family: FamilyName; readonly chain: string } & Readonly<Record<string, unknown>>

export type RescueRequest = {
  readonly deposits: readonly SpendableDeposit[]
  /** Null: the refund address of the package. */
  readonly to: string | null
  /** In the chain's own fee unit. */
  readonly feeRate: bigint
  /** Where the package has none. */
  readonly privateKey: string | null
}

export type Rescue = {
  /** Signed, hex. */
  readonly transaction: string
  readonly tx: string
  /** Ids of those that it spends: what is not worth its fee is left out. */
  readonly deposits: readonly string[]
  readonly to: string
  readonly pays: bigint
  readonly fee: bigint
  /** It can be mined so many timelock units after the block of the newest of its deposits. */
  readonly timelock: bigint
}

/** Whoever runs it can hide deposits, but not redirect them. */
export interface RescueNode {
  /**
   * Those in blocks and unspent, with the timelock units until each can be refunded: none, or less than none, when it can be.
   * `named`: ids of the only ones to look at. Anyone can send so many that a node does not list them all.
   */
  deposits(named?: readonly string[]): Promise<readonly (SpendableDeposit & { readonly unitsLeft: bigint })[]>
  /** In the chain's own fee unit. */
  feeRate(): Promise<bigint>
  /** Throws `ChainFailure` with the node's words unless it is taken. */
  broadcast(transaction: string): Promise<void>
  close(): Promise<void>
}

export type SpendRequest = {
  /** Ids of the deposits to spend, all of this HTLC. */
  readonly deposits: readonly SpendableDeposit[]
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
  /** BIP327, by the even-y form of `publicKey`: the start of one signature together with others. */
  startMusig(): MusigSigning
}

/** One signature's worth of a secret nonce, which never leaves it and is used up by `sign`: a second call throws. */
export interface MusigSigning {
  readonly nonce: Uint8Array
  /** The partial signature. `tweaks`: x-only, applied in sequence to the aggregate of `keys`, which are in the sequence of `nonces`. */
  sign(session: MusigMessage): Uint8Array
}

export type MusigMessage = {
  readonly keys: readonly Uint8Array[]
  readonly nonces: readonly Uint8Array[]
  readonly message: Uint8Array
  readonly tweaks: readonly Uint8Array[]
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
  /** One of `attempts` is in a block and failed there, for which the signer has paid. Safe to repeat. */
  noteReverted(tx: string): Promise<void>
  /** For relays: how many for the same initiator, of whatever orders, are known to have failed so in 24 hours. */
  readonly revertedRelays?: number
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
      /** How clients of this family expect numbers to be written. */
      readonly numbers: 'hex' | 'decimal'
      /** To be sent first of all: brings the money to where the other calls find it. */
      readonly coreToEvmTransfer?: Call
      /** To be sent before `approval`, to tokens that change no allowance but to and from zero. */
      readonly approvalReset?: Call
      readonly approval: Call | null
      readonly initiate: Call
      /** By anyone once the swap is there or its deadline has passed, by the initiator at any time: brings back what was paid beside it. */
      readonly reclaim?: Call
      readonly typedData: Readonly<Record<string, unknown>> | null
    }

/**
 * uneconomic    it is not worth its fee at the moment
 * unreachable   the node did not answer: try again
 * would-fail    the chain would refuse it now (reverted, not final, insufficient funds): try later, tell the operator
 * superseded    someone else's transaction already did or prevented it: look at the chain again
 */
export type ChainFailureKind = 'uneconomic' | 'unreachable' | 'would-fail' | 'superseded'

type ChainFailureOptions = ErrorOptions & {
  readonly revertedTx?: string
  readonly refusal?: string
  readonly retryAfterMs?: number
}

export class ChainFailure extends Error {
  readonly kind: ChainFailureKind
  /** What was sent for the action before, is in a block, and failed there. */
  readonly revertedTx: string | null
  /** Why, in words for the user whose doing it is. */
  readonly refusal: string | null
  /** Before then nothing would come of trying again; null: as soon as usual. */
  readonly retryAfterMs: number | null

  constructor(kind: ChainFailureKind, message: string, options: ChainFailureOptions = {}) {
    super(message, options)
    this.name = 'ChainFailure'
    this.kind = kind
    this.revertedTx = options.revertedTx ?? null
    this.refusal = options.refusal ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
