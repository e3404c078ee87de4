/** Defines the fixture of a family for the conformance suites: its client, its local chain, and ways to misbehave on it. */
import type { Key, Signer } from '@tandem/keys/key.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcEvent, HtlcTerms } from '@tandem/protocol/htlc.ts'
import { deriveSwap, type SwapState } from '@tandem/protocol/swap-state.ts'
import type { AccountRequest, DeployRequest } from '../port/abilities/deploy.ts'
import type { PrefundedSwap } from '../port/abilities/prefund.ts'
import type { OracleAnswer } from '../port/abilities/reading.ts'
import type { ChainClient } from '../port/client.ts'
import type { Endpoints } from '../port/endpoints.ts'
import type { WatchedSwaps } from '../port/watched-swaps.ts'
import type { TestProviders } from './providers.fixture.ts'
import type { StrangersInitiations } from './strangers-initiation.fixture.ts'

export interface ConformanceFixture {
  readonly client: ChainClient
  readonly secondClient: ChainClient
  readonly asset: AssetId
  readonly amount: bigint
  /** A party pays at most this network fee in the asset within one test. It is well below `amount`. */
  readonly feeAllowance: bigint
  /** The chain keeps this reserve from the initiator while a deposit is open. It is well below `amount`; the default is 0. */
  readonly depositReserve?: bigint
  /** What a sender may get back beyond its fees: the storage of coins that others paid to it. The default is 0. */
  readonly rebateAllowance?: bigint
  /** False means that the chain allows only the refund of an expired swap. By default it can be redeemed until it is refunded. */
  readonly redeemsAfterExpiry?: boolean
  /** The timelock is in the chain's unit: long enough that no test reaches it by mining, short enough for `expire`. */
  readonly timelock: bigint
  /** If true, the chain refuses an initiation with terms that were ever initiated. Otherwise anyone can pay any number of times. */
  readonly termsAreUsedOnce: boolean
  /** The key acts for the user inside the HTLC. It holds nothing on chains with order keys. */
  readonly user: Key
  readonly solver: Key
  readonly addresses: {
    readonly good: readonly { readonly text: string; readonly canonical: string }[]
    /** Null means that addresses have no checksum. */
    readonly wrongChecksum: readonly string[] | null
    /** These are addresses of other networks of the family, where they name one, and of other families. */
    readonly wrongNetwork: readonly string[]
    readonly wrongLength: readonly string[]
  }

  /** Follows the funding instructions exactly, as the user's wallet would over the chain's own RPC. Nothing is mined. */
  fund(funding: Funding): Promise<void>
  /** Funds the swap with less than the amount, or comes as near to that as the chain allows. Nothing is mined. */
  underfund(terms: HtlcTerms, funding: Funding): Promise<void>
  /** Creates something that looks like a funded swap with these terms but is not. Nothing is mined. */
  lookAlike(terms: HtlcTerms, funding: Funding): Promise<void>
  /** Anybody can initiate a swap with these terms in these ways. */
  readonly strangers: StrangersInitiations
  /** The payout of this redeemer fails. The method is absent where every valid address can be paid. */
  unpayableRedeemer?(): Promise<string>

  /** Unmined transactions are in the first new block. */
  mine(blocks: number): Promise<void>
  /** The chain leaves the next height without a block. The method is absent where it cannot. */
  skip?(): void
  /** Replaces the newest `depth` blocks by one more than that. Their transactions are unmined again, or dropped if `drop`. */
  reorg(depth: number, options: { readonly drop: boolean }): Promise<void>
  /** Moves the chain past the end of a swap initiated in the newest blocks, and not much further. */
  expire(terms: HtlcTerms): Promise<void>
  /** All three providers serve this chain. */
  providers(): Promise<TestProviders>
  close(): Promise<void>

  // Only the suites of some abilities need the members below.

  /** Cancelling needs to know whether nodes replace an unmined transaction by another one of the same key. */
  readonly replacesUnmined?: boolean
  /** This is absent for an asset without gasless initiations. */
  readonly gasless?: {
    sign(funding: Funding): Promise<string>
    /** Afterwards the HTLC can take nothing more from the user. The method is absent where the signature is the only approval. */
    revokeApproval?(): Promise<void>
  }
  readonly prefund?: {
    /** The user consents to the swap on the chain, while the account is empty. Mines it. */
    consent(funding: Funding): Promise<void>
    pay(amount: bigint): Promise<void>
    passDeadline(deadline: bigint): Promise<void>
  }
  /** Deposit addresses need these acts of strangers, over the chain's own RPC, who are no party of the swap. They mine nothing. */
  readonly depositAddress?: {
    /** A plain transfer of the asset, as exchanges send it. */
    pay(address: string, amount: bigint): Promise<void>
    /** Moves the chain past this time (unix seconds), so that no initiation is possible afterwards. */
    passDeadline(deadline: bigint): Promise<void>
    /** Initiates the swap with the money at its address. */
    initiate(swap: PrefundedSwap): Promise<void>
    /** Returns what is at the address to the initiator. It may reject where the chain refuses that. */
    giveBack(swap: PrefundedSwap): Promise<void>
    /** The initiator takes the money out of the address before the deadline. The method is absent where nobody can. */
    withdraw?(swap: PrefundedSwap): Promise<void>
    /** An initiation returns what it does not take, so no surplus is left for a reclaim. */
    readonly surplusLeavesWithInitiation?: true
    /** Money that cannot fund the swap: another token, or the chain's coin. */
    readonly otherMoney: readonly OtherMoney[]
    /** An account of this chain holds at least this much, or nothing. */
    readonly least?: bigint
    /** Counts the requests of `client` to its node while the work runs. A batch counts once. */
    requestsOf(work: () => Promise<unknown>): Promise<number>
  }
  /** Gas with a payout needs an account that can be the redeemer, and that holds nothing. The asset of the fixture must be a token. */
  emptyRecipient?(): Promise<{ readonly identity: string; readonly address: string }>
  /** Rent needs a block at or after this time (unix seconds). */
  passTime?(time: bigint): Promise<void>
  /** Instant refunds need a signature of `user` over one of the hashes, as the user's own wallet makes it. */
  signRefundHash?(hash: string): string
  /** Order keys need the private key of `user`, and addresses with proofs that they are the user's. */
  readonly orderKeys?: { readonly privateKey: string; readonly proveAddress: (address: string, message: string) => string }
  readonly rescueEndpoints?: Endpoints
  incapableRecipient?(): Promise<string>
  priceFeed?(says: OracleAnswer): Promise<string>
  readonly deploy?: {
    readonly request: DeployRequest
    /** These are not the token of the asset. */
    readonly wrongTokens: readonly { readonly token: string; readonly reason: RegExp }[]
    whileMining<T>(run: () => Promise<T>): Promise<T>
    connect(htlc: string): ChainClient
  }
  readonly distributor?: {
    whileMining<T>(run: () => Promise<T>): Promise<T>
    /** A stranger submits the claim over the chain's own RPC, and it is mined. False means that the contract refuses. */
    claim(
      claim: { readonly contract: string; readonly token: string; readonly recipient: string; readonly total: bigint },
      signature: string,
    ): Promise<boolean>
  }
  readonly deployAccount?: {
    readonly request: Omit<AccountRequest, 'signer'>
    /** The account of this signer is not deployed, and holds enough of the chain's coin. */
    fundedSigner(): Promise<Signer>
    whileMining<T>(run: () => Promise<T>): Promise<T>
  }
}

export type OtherMoney = {
  readonly name: string
  readonly amount: bigint
  pay(address: string): Promise<void>
  giveBack(swap: PrefundedSwap): Promise<void>
  balanceOf(address: string): Promise<bigint>
}

export type SwapReading = { readonly events: readonly HtlcEvent[]; readonly swap: SwapState }

export function watchOnly(client: ChainClient, terms: HtlcTerms, deposits: readonly string[] = []): WatchedSwaps {
  return createWatchedSwaps([{ swapId: client.swapId(terms), terms, deposits }])
}

/** The events since `from` are found with the terms alone. */
export async function readSwap(client: ChainClient, terms: HtlcTerms, from: bigint): Promise<SwapReading> {
  const read = async (deposits: readonly string[], to: bigint) => {
    const watched = watchOnly(client, terms, deposits)
    return [...(await client.events(watched, from, to)), ...((await client.unconfirmedEvents?.(watched)) ?? [])]
  }
  const tip = await client.tip()
  const found = await read([], tip.height)
  // On UTXO chains a spend is found only once its deposit is known.
  const events = await read([...new Set(found.map((event) => event.deposit))], tip.height)
  const { clock, heightsMaySkip, requiredConfirmations, finalityBlocks } = client.chain
  const view = {
    tip,
    clock,
    heightsMaySkip,
    requiredConfirmations,
    finalityBlocks,
    counting: { kind: 'exact' },
    smallDeposits: null,
  } as const
  return { events, swap: deriveSwap(terms, events, view) }
}
