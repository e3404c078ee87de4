/**
 * Finds the open orders that changed by reading their accounts: each keeps the slots of its initiation and its settlement. These reads
 * replace the list of the program's transactions when that list is long, because anyone can make it long. The cost depends only on our own
 * open orders: one request reads a hundred.
 *
 * Each read covers all orders with a deposit. Anyone can leave thousands of orders unfunded, so those are read round robin. Unfunded orders
 * that are still due when the list is short again are read then.
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

export type Change = {
  readonly program: Address
  readonly order: Address
  readonly from: bigint
  readonly to: bigint
  /** The account shows this many changes; 0 means that there may be any number. */
  readonly expected: number
}

export interface OrderReads {
  /** True means that some unfunded orders were not read since the list was last too long. */
  readonly hasDue: boolean
  /** Call this before each read of slots: the results of the last read count as recorded if this one begins above it. */
  startRead(from: bigint, to: bigint): void
  /**
   * The result has the changes in these slots of orders with a deposit, and all changes of those without one. `isLong` means that the list
   * of transactions is not read, so every order becomes due.
   */
  changes(watched: WatchedSwaps, from: bigint, end: Block, isLong: boolean): Promise<readonly Change[]>
  changesIn(watched: WatchedSwaps, from: bigint, end: Block): Promise<readonly Change[]>
}

const PAGE = 1_000
/** One read has at most this many unfunded orders; they take ten requests. */
const MAX_UNFUNDED = 1_000

type AccountRead = { readonly swap: ActiveSwap; readonly order: OrderAccount | null }

export function createOrderReads(node: Pick<SolanaNode, 'orders'>, contracts: Contracts): OrderReads {
  /** These orders were closed, and their own transactions were read since then. */
  let closed = new Set<SwapId>()
  /** The value is the number of the read in which an order without a deposit was last covered. */
  let coveredAt = new Map<SwapId, number>()
  let readCount = 0
  /** Every order is due that was not covered since this read. */
  let dueSince = 1
  let hasDue = true
  /** The results of the last read count once a later read begins above it. */
  let last: { readonly covered: readonly SwapId[]; readonly closed: readonly SwapId[]; readonly hasDue: boolean } | null = null
  let readUpTo: bigint | null = null

  async function readAccounts(swaps: readonly ActiveSwap[], end: Block): Promise<readonly AccountRead[]> {
    const programOf = ({ terms }: ActiveSwap) => contracts.of(terms.asset).program
    const accounts = await Promise.all(
      [...new Set(swaps.map(programOf))].map(async (program) => {
        const ofProgram = swaps.filter((swap) => programOf(swap) === program)
        const addresses = ofProgram.map(({ swapId }) => parseAddress(swapId))
        const orders = await node.orders({ program, addresses, last: end })
        return ofProgram.map((swap, i) => ({ swap, order: orders[i] ?? null }))
      }),
    )
    return accounts.flat()
  }

  function changeIn({ swap }: AccountRead, from: bigint, to: bigint, expected: number): Change {
    return { program: contracts.of(swap.terms.asset).program, order: parseAddress(swap.swapId), from, to, expected }
  }

  function changesOf(account: AccountRead, from: bigint, end: Block): readonly Change[] {
    const { swap, order } = account
    if (order === null) return []
    const slots = [order.initiatedSlot, ...(order.status === 'open' ? [] : [order.settledSlot])]
    const slotsInRange = new Set(slots.filter((slot) => slot >= from && slot <= end.height))
    const contract = contracts.of(swap.terms.asset)
    if (slotsInRange.size === 0 || swapIdOf(contract, swap.terms) !== swap.swapId) return []
    if (!isOrderOf(contract, swap.terms, order))
      throw new ChainFailure('unreachable', `the account of order ${swap.swapId} contradicts its terms: the node is wrong`)
    return [...slotsInRange].map((slot) => changeIn(account, slot, slot, slots.filter((one) => one === slot).length))
  }

  return {
    get hasDue() {
      return hasDue
    },
    startRead(from, to) {
      const isAfter = readUpTo !== null && from > readUpTo
      if (last !== null && isAfter) {
        for (const swapId of last.covered) coveredAt.set(swapId, readCount)
        for (const swapId of last.closed) closed.add(swapId)
      }
      if (last !== null) hasDue = isAfter ? last.hasDue : true
      last = null
      // Another process may have read in between, and may have left orders unread.
      if (readUpTo !== null && from > readUpTo + 1n) {
        hasDue = true
        dueSince = readCount + 1
      }
      readUpTo = to
    },
    async changes(watched, from, end, isLong) {
      const all = await allOf(watched)
      readCount += 1
      if (isLong) dueSince = readCount
      const active = new Set(all.map(({ swapId }) => swapId))
      coveredAt = new Map([...coveredAt].filter(([swapId]) => active.has(swapId)))
      closed = new Set([...closed].filter((swapId) => active.has(swapId)))
      const due = all
        .filter(({ swapId, deposits }) => deposits.length === 0 && (coveredAt.get(swapId) ?? 0) < dueSince)
        .sort((a, b) => (coveredAt.get(a.swapId) ?? 0) - (coveredAt.get(b.swapId) ?? 0))
      const unfunded = due.slice(0, MAX_UNFUNDED)
      const funded = isLong ? all.filter(({ deposits }) => deposits.length > 0) : []
      const accounts = await readAccounts([...funded, ...unfunded], end)
      const changes = accounts.flatMap((account) => {
        if (isClosed(account)) return closed.has(account.swap.swapId) ? [] : [changeIn(account, from, end.height, 0)]
        return changesOf(account, account.swap.deposits.length > 0 ? from : 0n, end)
      })
      last = {
        covered: unfunded.map(({ swapId }) => swapId),
        closed: accounts.filter(isClosed).map(({ swap }) => swap.swapId),
        hasDue: due.length > unfunded.length,
      }
      return changes
    },
    async changesIn(watched, from, end) {
      const accounts = await readAccounts(await allOf(watched), end)
      return accounts.flatMap((account) => (isClosed(account) ? [changeIn(account, from, end.height, 0)] : changesOf(account, from, end)))
    },
  }
}

/** The order is settled and closed: only the list of its own transactions shows how. */
function isClosed({ swap, order }: AccountRead): boolean {
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
