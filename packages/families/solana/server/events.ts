/**
 * Reads the events of watched swaps: from the list of the program's transactions, and from the accounts of open orders where strangers make that list
 * long. An event is an instruction of our program in a transaction that succeeded, in a canonical block. It counts only for the account at the
 * canonical address of the swap's terms. Nothing is read from logs.
 */
import type { Address, Signature } from '@solana/kit'
import { type EventReader, readConsistently } from '@tandem/chain-kit/contract/event-reader.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { FoundSwaps, WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { decodeInstruction, type OrderEvent } from '../contract/client/decode.ts'
import { type Contracts, isSameOrder, orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import type { AccountSignature, NodeTransaction, SignatureQuery, SlotBlock, SolanaNode } from './nodes/node.ts'
import { type Change, createOrderReads } from './order-reads.ts'

/** A node may index a transaction a moment after it shows the block, so the newest slots are read again with the next range. */
const REPEATED_SLOTS = 32n
const SKIPPED_SLOTS = 64n
const TRANSACTIONS = 100
/** A list counts as made long by strangers if it is longer than this, plus this much for each transaction of ours in the last list. */
const LISTED = 256
const LISTED_FOR_OURS = 16
/** This many transactions are fetched for each one that is ours, and for the first. */
const FETCHED_FOR_OURS = 8
/** Transactions of a slot that name an order are fetched in parts of this size, until the one that changed the order is found. */
const CANDIDATES = 16
const MAX_DECODED = 10_000

type Executed = { readonly event: OrderEvent; readonly index: number }
type Mined = AccountSignature & { readonly executed: readonly Executed[] }
/** `last` is the last block at or below `to`. */
type Slots = { readonly from: bigint; readonly to: bigint; readonly last: Block }

export function createEventReader(node: SolanaNode, contracts: Contracts): EventReader {
  const programs = [...new Set(contracts.all.map(({ program }) => program))]
  const orderReads = createOrderReads(node, contracts)
  /** What a transaction did never changes; only its slot may, by a reorg. */
  const decoded = new Map<string, Mined>()
  let lastOurs = 0

  const keyOf = (program: Address, { signature, slot }: AccountSignature) => `${program} ${slot} ${signature}`

  async function fetch(program: Address, listed: readonly AccountSignature[]): Promise<readonly Mined[]> {
    const unknown = listed.filter((one) => !decoded.has(keyOf(program, one)))
    for (let start = 0; start < unknown.length; start += TRANSACTIONS) {
      const part = unknown.slice(start, start + TRANSACTIONS)
      const transactions = await node.transactions(part.map(({ signature }) => signature))
      for (const [i, one] of part.entries())
        decoded.set(keyOf(program, one), { ...one, executed: executedIn(program, one, transactions[i] ?? null) })
    }
    const mined = listed.flatMap((one) => decoded.get(keyOf(program, one)) ?? [])
    for (const key of decoded.size > MAX_DECODED ? [...decoded.keys()].slice(0, decoded.size - MAX_DECODED) : []) decoded.delete(key)
    return mined.filter(({ executed }) => executed.length > 0)
  }

  /** The result is null if too few transactions are ours: anyone can make the list long, and each entry takes a request. */
  async function byList(watched: WatchedSwaps, program: Address, { from, to, last }: Slots): Promise<readonly Mined[] | null> {
    const listed = await signaturesOf({ address: program, from, to, last, maxCount: LISTED + LISTED_FOR_OURS * lastOurs })
    if (listed === null) return null
    const unknown = listed.filter((one) => !decoded.has(keyOf(program, one)))
    let [fetched, ours] = [0, 0]
    while (unknown.length - fetched > 0) {
      if (fetched > FETCHED_FOR_OURS * ours) return null
      const part = unknown.slice(fetched, fetched + (fetched === 0 ? FETCHED_FOR_OURS : FETCHED_FOR_OURS * ours))
      const mined = await fetch(program, part)
      fetched += part.length
      if (fetched < unknown.length) ours += (await oursAmong(watched, mined)).length
    }
    return fetch(program, listed)
  }

  /** The accounts of open orders show in which slots they changed: see `order-reads.ts`. */
  async function byAccounts(changes: readonly Change[], last: Block): Promise<readonly Mined[]> {
    const found = await Promise.all(
      changes.map(async ({ program, order, from, to, expected }) => {
        const listed = (await signaturesOf({ address: order, from, to, last })) ?? []
        const mined: Mined[] = []
        const changed = () => mined.flatMap(({ executed }) => executed.filter(({ event }) => isChange(event, order))).length
        // Strangers can name the order in the same slot too.
        for (let start = 0; start < listed.length && (expected === 0 || changed() < expected); start += CANDIDATES)
          mined.push(...(await fetch(program, listed.slice(start, start + CANDIDATES))))
        if (changed() < expected)
          throw new ChainFailure('unreachable', `the node says that order ${order} changed in slot ${from}, and lists no transaction of it`)
        return mined
      }),
    )
    return found.flat()
  }

  async function signaturesOf(query: SignatureQuery): Promise<readonly AccountSignature[] | null> {
    try {
      return await node.signatures(query)
    } catch (error) {
      const { from, to } = query
      if (error instanceof Refusal)
        throw new ChainFailure('unreachable', `transactions in slots ${from} to ${to} cannot be read: ${error.message}`, { cause: error })
      throw error
    }
  }

  /** `repeated` is a lower slot from which the list is read again. `isExact` asks for events of these slots only. */
  async function minedIn(watched: WatchedSwaps, slots: Slots, repeated: bigint, isExact: boolean): Promise<readonly Mined[]> {
    const { from, last } = slots
    const lists = await Promise.all(programs.map((program) => byList(watched, program, { ...slots, from: repeated })))
    const isLong = lists.includes(null)
    if (isExact) return isLong ? byAccounts(await orderReads.changesIn(watched, from, last), last) : lists.flatMap((list) => list ?? [])
    const listed = isLong ? [] : lists.flatMap((list) => list ?? [])
    const byAccount = isLong || orderReads.hasDue ? await byAccounts(await orderReads.changes(watched, from, last, isLong), last) : []
    return [...new Map([...listed, ...byAccount].map((one) => [`${one.slot} ${one.signature}`, one])).values()]
  }

  async function readOnce(watched: WatchedSwaps, heights: readonly bigint[], last: Block, read: () => Promise<readonly Mined[]>) {
    const [mined, asked] = await Promise.all([read(), heights.length === 0 ? [] : node.blocks(heights)])
    const swaps = mined.length === 0 ? null : await watched.find({ swapIds: new Set(mined.flatMap(ordersOf)), spent: [] })
    const ours = mined.filter((one) => swaps !== null && ordersOf(one).some((order) => swaps.bySwapId(order) !== undefined))
    lastOurs = ours.length
    const known = new Map<bigint, Block>([...asked, last].map((block) => [block.height, block]))
    const unknown = [...new Set(ours.map(({ slot }) => slot))].filter((slot) => !known.has(slot)).sort((a, b) => Number(a - b))
    const others = unknown.length === 0 ? [] : await node.blocks(unknown)
    for (const block of others) known.set(block.height, block)
    if (ours.some(({ slot }) => !known.has(slot))) return null
    const events = ours
      .flatMap((one) => eventsOf(one, swaps, known))
      .sort((a, b) => Number((a.block?.height ?? 0n) - (b.block?.height ?? 0n)))
    return { events, headers: [...asked, ...others] }
  }

  async function oursAmong(watched: WatchedSwaps, mined: readonly Mined[]): Promise<readonly Mined[]> {
    if (mined.length === 0) return []
    const swaps = await watched.find({ swapIds: new Set(mined.flatMap(ordersOf)), spent: [] })
    return mined.filter((one) => ordersOf(one).some((order) => swaps.bySwapId(order) !== undefined))
  }

  function eventsOf(
    { signature, slot, executed }: Mined,
    swaps: FoundSwaps | null,
    blocks: ReadonlyMap<bigint, Block>,
  ): readonly HtlcEvent[] {
    const block = blocks.get(slot)
    return executed.flatMap(({ event, index }) => {
      const swap = swaps?.bySwapId(event.order)
      if (swap === undefined || block === undefined || swapIdOf(contracts.of(swap.terms.asset), swap.terms) !== swap.swapId) return []
      return parseEvent(swap, event, { signature, index, block }) ?? []
    })
  }

  function parseEvent(
    { swapId, terms }: WatchedSwap,
    event: OrderEvent,
    { signature, index, block }: { readonly signature: Signature; readonly index: number; readonly block: Block },
  ): HtlcEvent | null {
    const { parentHash: _, ...ref } = block
    const common = { swapId, tx: signature, index: `instruction:${index}`, block: ref, deposit: swapId }
    switch (event.kind) {
      case 'closed':
        return null
      case 'refunded':
        return { ...common, kind: 'refunded', secret: null, paid: terms.amount }
      case 'redeemed': {
        const secret = Buffer.from(event.secret).toString('hex')
        if (!isSecretFor(secret, terms.secretHash)) throw contradiction(signature)
        return { ...common, kind: 'redeemed', secret, paid: terms.amount }
      }
      case 'initiated': {
        if (!isSameOrder(event.terms, orderTermsOf(contracts.of(terms.asset), terms))) throw contradiction(signature)
        return { ...common, kind: 'initiated', amount: terms.amount, expiresAt: block.height + terms.timelock }
      }
    }
  }

  /** The caller reads each range once, so a partial answer would lose events. */
  async function lastBlock(from: bigint, to: bigint): Promise<SlotBlock | null> {
    const [at] = await node.blocks([to])
    if (at !== undefined) return at
    const tip = await node.block('latest')
    if (tip === null || tip.height < to) throw new ChainFailure('unreachable', `the node does not have slot ${to} yet`)
    const lowest = to - SKIPPED_SLOTS > from ? to - SKIPPED_SLOTS : from
    const below = await node.blocks(Array.from({ length: Number(to - lowest) }, (_, i) => lowest + BigInt(i)))
    const last = below.at(-1)
    if (last === undefined && lowest > from) throw new ChainFailure('unreachable', `there is no block in slots ${lowest} to ${to}`)
    return last ?? null
  }

  return {
    async read(watched, from, to) {
      if (watched.isEmpty || programs.length === 0 || to < from) return []
      return readConsistently(`slots ${from} to ${to}`, async () => {
        const last = await lastBlock(from, to)
        if (last === null) return []
        const read = await readOnce(watched, [], last, () => minedIn(watched, { from, to, last }, from, true))
        // The last block is the same before and after, so all blocks below it are of one branch.
        return read !== null && (await node.block(last.height))?.hash === last.hash ? read.events : null
      })
    },
    async readBranch(watched, from, end, heights) {
      if (watched.isEmpty || programs.length === 0 || end.height < from)
        return { events: [], headers: heights.length === 0 ? [] : await node.blocks(heights) }
      const lowest = from > REPEATED_SLOTS ? from - REPEATED_SLOTS : 0n
      const slots = { from, to: end.height, last: end }
      return readConsistently(`slots ${from} to ${end.height}`, () => {
        orderReads.startRead(from, end.height)
        return readOnce(watched, heights, end, () => minedIn(watched, slots, lowest, false))
      })
    },
  }
}

function isChange({ kind, order }: OrderEvent, of: Address): boolean {
  return order === of && kind !== 'closed'
}

function ordersOf({ executed }: Mined): readonly Address[] {
  return executed.map(({ event }) => event.order)
}

function executedIn(program: Address, { signature, slot }: AccountSignature, transaction: NodeTransaction | null): readonly Executed[] {
  if (transaction === null) throw new ChainFailure('unreachable', `the node lists transaction ${signature} and does not have it`)
  if (transaction.slot !== slot || transaction.error !== null) throw contradiction(signature)
  return transaction.instructions.flatMap((instruction, index) => {
    const event = decodeInstruction(program, instruction)
    return event === null ? [] : [{ event, index }]
  })
}

/**
 * Our program cannot do this: the order's address is derived from the terms. The node is faulty or lies, because nobody can cause this with
 * a transaction or an order. Skipping the transaction would lose the true event, so reading stops until the node is right.
 */
function contradiction(signature: Signature): ChainFailure {
  return new ChainFailure('unreachable', `transaction ${signature} contradicts the order that it names: the node is wrong`)
}
