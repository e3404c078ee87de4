/**
 * Which open orders changed, read from their accounts: each keeps the slots of its initiation and its settlement. Used where the list of the program's
 * transactions is long, because anyone can make it long: the cost is that of our own open orders, a request for a hundred of them.
 *
 * Orders with a deposit are looked at in every such read. Anyone can leave thousands of orders unfunded, so those take turns; turns that are owed when
 * the list is short again are taken then.
 */
import type { Address } from '@solana/kit'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ActiveSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import type { OrderAccount } from '../contract/client/decode.ts'
import { parseAddress } from '../terms/address.ts'
import { type Contracts, isOrderOf, swapIdOf } from '../terms/htlc.ts'
import type { SolanaNode } from './nodes/node.ts'

/** Slots in which transactions of an order are to be read. */
export type Change = {
  readonly program: Address
  readonly order: Address
  readonly from: bigint
  readonly to: bigint
  /** How many the account tells of; 0: there may be any number. */
  readonly expected: number
}

export interface OrderLooks {
  /** Unfunded orders have not had the look that a long list kept them from. */
  readonly isOwed: boolean
  /** Call it before each read of slots: what the last read found counts as recorded if this one begins above it. */
  startRead(from: bigint, to: bigint): void
  /**
   * Changes in these slots of orders with a deposit, and all that ever happened to those without one. `isLong`: the list of transactions is not read, so
   * every order is owed a look.
   */
  changes(watched: WatchedSwaps, from: bigint, end: Block, isLong: boolean): Promise<readonly Change[]>
  /** All changes in these slots, of all swaps. Remembers nothing. */
  changesIn(watched: WatchedSwaps, from: bigint, end: Block): Promise<readonly Change[]>
}

const PAGE = 1_000
/** Unfunded orders in one read: ten requests. */
const UNFUNDED = 1_000

type Look = { readonly swap: ActiveSwap; readonly order: OrderAccount | null }

export function createOrderLooks(node: Pick<SolanaNode, 'orders'>, contracts: Contracts): OrderLooks {
  /** Orders that were closed, and whose own transactions were read since. */
  let closed = new Set<SwapId>()
  /** In which read an order without a deposit was looked at last. */
  let lookedAt = new Map<SwapId, number>()
  let reads = 0
  /** Every order is to be looked at in this read or later. */
  let owedSince = 1
  let isOwed = true
  /** What the last read found: it counts once a later read begins above it. */
  let last: { readonly looked: readonly SwapId[]; readonly closed: readonly SwapId[]; readonly isOwed: boolean } | null = null
  let readUpTo: bigint | null = null

  async function lookAt(swaps: readonly ActiveSwap[], end: Block): Promise<readonly Look[]> {
    const programOf = ({ terms }: ActiveSwap) => contracts.of(terms.asset).program
    const looks = await Promise.all(
      [...new Set(swaps.map(programOf))].map(async (program) => {
        const ofProgram = swaps.filter((swap) => programOf(swap) === program)
        const addresses = ofProgram.map(({ swapId }) => parseAddress(swapId))
        const orders = await node.orders({ program, addresses, last: end })
        return ofProgram.map((swap, i) => ({ swap, order: orders[i] ?? null }))
      }),
    )
    return looks.flat()
  }

  function changeIn({ swap }: Look, from: bigint, to: bigint, expected: number): Change {
    return { program: contracts.of(swap.terms.asset).program, order: parseAddress(swap.swapId), from, to, expected }
  }

  function changesOf(look: Look, from: bigint, end: Block): readonly Change[] {
    const { swap, order } = look
    if (order === null) return []
    const slots = [order.initiatedSlot, ...(order.status === 'open' ? [] : [order.settledSlot])]
    const news = new Set(slots.filter((slot) => slot >= from && slot <= end.height))
    const contract = contracts.of(swap.terms.asset)
    if (news.size === 0 || swapIdOf(contract, swap.terms) !== swap.swapId) return []
    if (!isOrderOf(contract, swap.terms, order))
      throw new ChainFailure('unreachable', `the account of order ${swap.swapId} contradicts its terms: the node is wrong`)
    return [...news].map((slot) => changeIn(look, slot, slot, slots.filter((one) => one === slot).length))
  }

  return {
    get isOwed() {
      return isOwed
    },
    startRead(from, to) {
      const isAfter = readUpTo !== null && from > readUpTo
      if (last !== null && isAfter) {
        for (const swapId of last.looked) lookedAt.set(swapId, reads)
        for (const swapId of last.closed) closed.add(swapId)
      }
      if (last !== null) isOwed = isAfter ? last.isOwed : true
      last = null
      // Another process may have read in between, and owe looks.
      if (readUpTo !== null && from > readUpTo + 1n) {
        isOwed = true
        owedSince = reads + 1
      }
      readUpTo = to
    },
    async changes(watched, from, end, isLong) {
      const all = await allOf(watched)
      reads += 1
      if (isLong) owedSince = reads
      const active = new Set(all.map(({ swapId }) => swapId))
      lookedAt = new Map([...lookedAt].filter(([swapId]) => active.has(swapId)))
      closed = new Set([...closed].filter((swapId) => active.has(swapId)))
      const owed = all
        .filter(({ swapId, deposits }) => deposits.length === 0 && (lookedAt.get(swapId) ?? 0) < owedSince)
        .sort((a, b) => (lookedAt.get(a.swapId) ?? 0) - (lookedAt.get(b.swapId) ?? 0))
      const turn = owed.slice(0, UNFUNDED)
      const funded = isLong ? all.filter(({ deposits }) => deposits.length > 0) : []
      const looks = await lookAt([...funded, ...turn], end)
      const changes = looks.flatMap((look) => {
        if (isClosed(look)) return closed.has(look.swap.swapId) ? [] : [changeIn(look, from, end.height, 0)]
        return changesOf(look, look.swap.deposits.length > 0 ? from : 0n, end)
      })
      last = {
        looked: turn.map(({ swapId }) => swapId),
        closed: looks.filter(isClosed).map(({ swap }) => swap.swapId),
        isOwed: owed.length > turn.length,
      }
      return changes
    },
    async changesIn(watched, from, end) {
      const looks = await lookAt(await allOf(watched), end)
      return looks.flatMap((look) => (isClosed(look) ? [changeIn(look, from, end.height, 0)] : changesOf(look, from, end)))
    },
  }
}

/** Settled and closed: only the list of its own transactions tells how. */
function isClosed({ swap, order }: Look): boolean {
  return order === null && swap.deposits.length > 0
}

async function allOf(watched: WatchedSwaps): Promise<readonly ActiveSwap[]> {
  const all: ActiveSwap[] = []
  let from: string | null = null
  do {
    const page = await watched.active(PAGE, from)
    all.push(...page.swaps)
    from = page.next
  } while (from !== null)
  return all
}
