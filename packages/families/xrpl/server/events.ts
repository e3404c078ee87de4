/**
 * Reads the events of watched swaps. The chain does not know swap ids, so an escrow is found by its fields: owner, destination and tag,
 * amount and condition. Every escrow with the fields of a swap is a deposit of it; the protocol counts the first, and refunds the others.
 */
import { inChainOrder } from '@tandem/chain-kit/contract/event-reader.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { partyOf } from '../terms/address.ts'
import { depositOf, escrowKey, escrowOf, expiryOf, secretHashIn, secretIn } from '../terms/htlc.ts'
import type { EscrowChange, XrplNode } from './nodes/node.ts'

/**
 * Up to this many open swaps we read the fewest accounts that cover them. With more we read the solvers' accounts: strangers can leave any
 * number of orders unfunded.
 */
const MAX_COVERED_SWAPS = 1000

type HistoryNode = Pick<XrplNode, 'blocks' | 'escrowChanges'>

export async function readEvents(node: HistoryNode, watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]> {
  if (watched.isEmpty || to < from) return []
  const { accounts, swapsOf } = await searchOf(watched)
  const found = (await Promise.all(accounts.map((account) => node.escrowChanges(account, from, to)))).flat()
  const byKey = swapsByKey(await swapsOf(found))
  // An account may be a party of swaps that another account covers.
  const changes = new Map(found.map((change) => [change.tx, change]))
  const ours = [...changes.values()].flatMap((change) => {
    const swap = byKey.get(escrowKey(change.escrow))
    return swap === undefined ? [] : [{ change, swap }]
  })
  const heights = [...new Set(ours.map(({ change }) => change.ledger))].sort((a, b) => Number(a - b))
  const blocks = new Map((heights.length === 0 ? [] : await node.blocks(heights)).map((block) => [block.height, block]))
  return ours.map(({ change, swap }) => eventOf(change, swap, blocks.get(change.ledger))).sort(inChainOrder)
}

type Search = {
  readonly accounts: readonly string[]
  swapsOf(changes: readonly EscrowChange[]): Promise<readonly WatchedSwap[]>
}

/** The newest ledger was read before: an order that is made later has no event up to it. */
async function searchOf(watched: WatchedSwaps): Promise<Search> {
  const { swaps, next } = await watched.active(MAX_COVERED_SWAPS, null)
  if (next === null) return { accounts: coveringAccounts(swaps.map(({ terms }) => terms)), swapsOf: async () => swaps }
  const parties = await watched.solverParties()
  return {
    accounts: [...new Set(parties.map((party) => partyOf(party).account))],
    swapsOf: (changes) => watched.bySecretHash([...new Set(changes.flatMap(({ escrow }) => secretHashIn(escrow.condition) ?? []))]),
  }
}

/**
 * Each key has one swap: two that differ in their timelock alone must not both count the same escrow. No secret hash is used twice, so
 * honest parties never meet this; the lower id wins for everyone.
 */
function swapsByKey(swaps: readonly WatchedSwap[]): ReadonlyMap<string, WatchedSwap> {
  const byId = swaps.toSorted((a, b) => (a.swapId < b.swapId ? 1 : -1))
  return new Map(byId.map((swap) => [escrowKey(escrowOf(swap.terms, 0n)), swap]))
}

function eventOf(change: EscrowChange, { swapId, terms }: WatchedSwap, block: Block | undefined): HtlcEvent {
  const { tx, ledger, escrow, sequence } = change
  if (block === undefined || block.hash !== change.ledgerHash)
    throw new ChainFailure('unreachable', `transaction ${tx} is said to be in another ledger ${ledger} than the validated one`)
  const common = {
    swapId,
    tx,
    // A transaction changes one escrow.
    index: 'escrow',
    block: { height: block.height, hash: block.hash, time: block.time },
    deposit: depositOf({ owner: escrow.owner, sequence }),
  }
  switch (change.kind) {
    case 'created':
      return { ...common, kind: 'initiated', amount: escrow.amount, expiresAt: expiryOf(escrow) }
    case 'cancelled':
      return { ...common, kind: 'refunded', secret: null, paid: escrow.amount }
    case 'finished': {
      const secret = secretIn(change.fulfillment)
      // The chain would not have finished it. Leaving the event out would lose the true one, so reading stops until the node answers correctly.
      if (secret === null || !isSecretFor(secret, terms.secretHash.toLowerCase()))
        throw new ChainFailure('unreachable', `transaction ${tx} finished an escrow with a wrong secret: the node is wrong`)
      return { ...common, kind: 'redeemed', secret, paid: escrow.amount }
    }
  }
}

type Parties = { readonly initiator: string; readonly redeemer: string }

/**
 * Every swap is in the history of both its accounts. One of them is usually a solver's, which has many swaps; strangers choose the other.
 * So the accounts with the most swaps come first, of equal ones those without a tag (exchanges have tags, and much traffic), and one is
 * read only if it has a swap that none before it has.
 */
export function coveringAccounts(swaps: readonly Parties[]): readonly string[] {
  const byAccount = new Map<string, Parties[]>()
  for (const swap of swaps) {
    for (const account of new Set([partyOf(swap.initiator).account, partyOf(swap.redeemer).account])) {
      const known = byAccount.get(account)
      if (known === undefined) byAccount.set(account, [swap])
      else known.push(swap)
    }
  }
  const tagged = new Set(swaps.map(({ redeemer }) => partyOf(redeemer)).flatMap(({ account, tag }) => (tag === null ? [] : [account])))
  const rank = (a: string, b: string) => Number(tagged.has(a)) - Number(tagged.has(b)) || (a < b ? -1 : 1)
  const covered = new Set<Parties>()
  const chosen: string[] = []
  for (const [account, own] of [...byAccount].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || rank(a, b))) {
    if (own.every((swap) => covered.has(swap))) continue
    for (const swap of own) covered.add(swap)
    chosen.push(account)
  }
  return chosen
}
