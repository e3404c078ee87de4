/** What a family brings to the conformance suite: its client, its local chain, and ways to misbehave on it. */

import { createWatchedSwaps } from '../../engine/watched-swaps.ts'
import type { Key } from '../../keys/key.ts'
import type { AssetId } from '../../protocol/asset.ts'
import type { Funding } from '../../protocol/funding/funding.ts'
import type { HtlcEvent, HtlcTerms } from '../../protocol/htlc.ts'
import { deriveSwap, type SwapState } from '../../protocol/swap-state.ts'
import type { ChainClient } from '../port/client.ts'
import type { WatchedSwaps } from '../port/watched-swaps.ts'

/** A local chain that mines only when told to. The owners of its keys hold enough for every test. */
export interface ConformanceHarness {
  readonly client: ChainClient
  /** Connected on its own to the same chain, as another party is. */
  readonly secondClient: ChainClient
  readonly asset: AssetId
  readonly amount: bigint
  /** What network fees may take out of a party's balance of this asset within one test; well below `amount`. */
  readonly feeAllowance: bigint
  /** In the chain's unit; long enough that no test reaches it by mining, short enough for `expire`. */
  readonly timelock: bigint
  /** Acts for the user inside the HTLC; holds nothing on chains where a key is made per order. */
  readonly user: Key
  readonly solver: Key
  readonly addresses: {
    readonly good: readonly { readonly text: string; readonly canonical: string }[]
    readonly wrongChecksum: readonly string[]
    readonly wrongNetwork: readonly string[]
    readonly wrongLength: readonly string[]
  }

  /** Does what the answer to POST /orders says, to the letter, as the user's wallet would over the chain's own RPC. Does not mine. */
  fund(funding: Funding): Promise<void>
  /** Puts less than the amount where the swap is, or as near to it as the chain allows. Does not mine. */
  underfund(terms: HtlcTerms, funding: Funding): Promise<void>
  /** Makes something that looks like a funded swap with these terms and is not. Does not mine. */
  lookAlike(terms: HtlcTerms, funding: Funding): Promise<void>
  /** The user's signature for a gasless initiation, after whatever the wallet must do once before. Absent where there is no such thing. */
  signInitiate?(funding: Funding): Promise<string>
  /** A redeemer that a payout cannot reach. Absent where every valid address can be paid. */
  unpayableRedeemer?(): Promise<string>

  /** What waits is in the first of the new blocks. */
  mine(blocks: number): Promise<void>
  /** Replaces the newest `depth` blocks by one more than that. Their transactions wait for a block again, or are forgotten if `drop`. */
  reorg(depth: number, options: { readonly drop: boolean }): Promise<void>
  /** Moves the chain past the timelock of a swap initiated in the newest blocks, and not much further. */
  expire(terms: HtlcTerms): Promise<void>
  close(): Promise<void>
}

export type Sight = { readonly events: readonly HtlcEvent[]; readonly swap: SwapState }

export function watchOnly(client: ChainClient, terms: HtlcTerms, deposits: readonly string[] = []): WatchedSwaps {
  return createWatchedSwaps([{ swapId: client.swapId(terms), terms, deposits }])
}

/** Everything the chain says about a swap since `from`, as a party that knows only the terms finds it out. */
export async function lookAt(client: ChainClient, terms: HtlcTerms, from: bigint): Promise<Sight> {
  const read = async (deposits: readonly string[], to: bigint) => {
    const watched = watchOnly(client, terms, deposits)
    return [...(await client.events(watched, from, to)), ...(await client.unconfirmedEvents(watched))]
  }
  const tip = await client.tip()
  const found = await read([], tip.height)
  // Where a deposit is an output, its spend is noticed only once the deposit is known.
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
