/** The fixture of a family for the conformance suites: its client, its local chain, and ways to misbehave on it. */

import type { Key, Signer } from '@tandem/keys/key.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcEvent, HtlcTerms } from '@tandem/protocol/htlc.ts'
import { deriveSwap, type SwapState } from '@tandem/protocol/swap-state.ts'
import type { AccountRequest, DeployRequest } from '../port/abilities/deploy.ts'
import type { OracleAnswer } from '../port/abilities/reading.ts'
import type { ChainClient } from '../port/client.ts'
import type { Endpoints } from '../port/endpoints.ts'
import type { WatchedSwaps } from '../port/watched-swaps.ts'
import type { TestProviders } from './providers.fixture.ts'
import type { StrangersInitiations } from './strangers-initiation.fixture.ts'

/** A local chain that mines only when told to. The owners of its keys hold enough for every test. */
export interface ConformanceFixture {
  readonly client: ChainClient
  /** A separate connection to the same chain, as another party has it. */
  readonly secondClient: ChainClient
  readonly asset: AssetId
  readonly amount: bigint
  /** The most network fees that a party pays in this asset within one test; well below `amount`. */
  readonly feeAllowance: bigint
  /** What the chain keeps of the initiator's balance while a deposit is open, beside the amount; well below `amount`. Absent: nothing. */
  readonly depositReserve?: bigint
  /** False where the chain allows only the refund of an expired swap. Absent: it can be redeemed until it is refunded. */
  readonly redeemsAfterExpiry?: boolean
  /** In the chain's unit; long enough that no test reaches it by mining, short enough for `expire`. */
  readonly timelock: bigint
  /** The chain refuses an initiation with terms that were ever initiated. False where anyone can pay to an HTLC any number of times. */
  readonly termsAreUsedOnce: boolean
  /** Acts for the user inside the HTLC; holds nothing on chains with order keys. */
  readonly user: Key
  readonly solver: Key
  readonly addresses: {
    readonly good: readonly { readonly text: string; readonly canonical: string }[]
    /** Null where addresses have no checksum. */
    readonly wrongChecksum: readonly string[] | null
    /** Of other networks of the family where addresses name one, and of other families. */
    readonly wrongNetwork: readonly string[]
    readonly wrongLength: readonly string[]
  }

  /** Follows the funding instructions exactly, as the user's wallet would over the chain's own RPC. Does not mine. */
  fund(funding: Funding): Promise<void>
  /** Funds the swap with less than the amount, or comes as near to that as the chain allows. Does not mine. */
  underfund(terms: HtlcTerms, funding: Funding): Promise<void>
  /** Creates something that looks like a funded swap with these terms but is not. Does not mine. */
  lookAlike(terms: HtlcTerms, funding: Funding): Promise<void>
  /** How anybody can initiate a swap with these terms, whatever the terms leave free. */
  readonly strangers: StrangersInitiations
  /** A redeemer whose payout fails. Absent where every valid address can be paid. */
  unpayableRedeemer?(): Promise<string>

  /** Unmined transactions are in the first new block. */
  mine(blocks: number): Promise<void>
  /** Makes the chain leave the next height without a block. Absent where it cannot. */
  skip?(): void
  /** Replaces the newest `depth` blocks by one more than that. Their transactions are unmined again, or gone if `drop`. */
  reorg(depth: number, options: { readonly drop: boolean }): Promise<void>
  /** Moves the chain past the end of a swap initiated in the newest blocks, and not much further. */
  expire(terms: HtlcTerms): Promise<void>
  /** Three providers of this chain. */
  providers(): Promise<TestProviders>
  close(): Promise<void>

  // Needed only by the suites of some abilities.

  /** Cancel: nodes replace an unmined transaction by another one of the same key. */
  readonly replacesUnmined?: boolean
  /** Absent for an asset without gasless initiations. */
  readonly gasless?: {
    /** The user's signature, after any one-time approval. */
    sign(funding: Funding): Promise<string>
    /** The HTLC can take nothing more from the user. Absent where the signature is the only approval. */
    revokeApproval?(): Promise<void>
  }
  readonly prefund?: {
    /** The user consents to the swap on the chain, while the account is empty. Mines it. */
    consent(funding: Funding): Promise<void>
    /** The user pays `amount` into the account. Does not mine. */
    pay(amount: bigint): Promise<void>
    /** Mines a block after this time (unix seconds). */
    passDeadline(deadline: bigint): Promise<void>
  }
  /** Rent: mines a block at or after this time (unix seconds). */
  passTime?(time: bigint): Promise<void>
  /** Instant refund: a signature of `user` over one of the hashes, as the user's own wallet makes it. */
  signRefundHash?(hash: string): string
  /** Order keys: the private key of `user`, and addresses with proofs that they are the user's. */
  readonly orderKeys?: { readonly privateKey: string; readonly proveAddress: (address: string, message: string) => string }
  /** Rescue: nodes as users name them. */
  readonly rescueEndpoints?: Endpoints
  /** Check recipient: a valid address that cannot receive the asset. */
  incapableRecipient?(): Promise<string>
  /** Oracle: deploys a price feed that always says this. */
  priceFeed?(says: OracleAnswer): Promise<string>
  readonly deploy?: {
    /** For a contract that is not deployed yet. */
    readonly request: DeployRequest
    /** Not the token of the asset. */
    readonly wrongTokens: readonly { readonly token: string; readonly reason: RegExp }[]
    /** Mines automatically while `run` lasts. */
    whileMining<T>(run: () => Promise<T>): Promise<T>
    connect(htlc: string): ChainClient
  }
  readonly distributor?: {
    /** Mines automatically while `run` lasts. */
    whileMining<T>(run: () => Promise<T>): Promise<T>
    /** A stranger submits the claim, over the chain's own RPC. Mines it. False if the contract refuses. */
    claim(
      claim: { readonly contract: string; readonly token: string; readonly recipient: string; readonly total: bigint },
      signature: string,
    ): Promise<boolean>
  }
  readonly deployAccount?: {
    readonly request: Omit<AccountRequest, 'signer'>
    /** Of an account that is not deployed, with enough of the chain's coin. */
    fundedSigner(): Promise<Signer>
    /** Mines automatically while `run` lasts. */
    whileMining<T>(run: () => Promise<T>): Promise<T>
  }
}

export type SwapReading = { readonly events: readonly HtlcEvent[]; readonly swap: SwapState }

export function watchOnly(client: ChainClient, terms: HtlcTerms, deposits: readonly string[] = []): WatchedSwaps {
  return createWatchedSwaps([{ swapId: client.swapId(terms), terms, deposits }])
}

/** All events of a swap since `from`, found with the terms alone. */
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
