/**
 * Reads the events of watched swaps. An event is an instruction of our program in a transaction that succeeded, in a canonical block. It counts
 * only for the account at the canonical address of the swap's terms. Nothing is read from logs.
 */
import type { Address, Signature } from '@solana/kit'
import { decodeInstruction, type OrderEvent } from '../../../contracts/solana/client/decode.ts'
import type { Block } from '../../protocol/chain.ts'
import type { HtlcEvent } from '../../protocol/htlc.ts'
import { isSecretFor } from '../../protocol/secret.ts'
import type { BranchEvents } from '../port/abilities/branch-events.ts'
import { ChainFailure } from '../port/failure.ts'
import type { FoundSwaps, WatchedSwap, WatchedSwaps } from '../port/watched-swaps.ts'
import { Refusal } from '../providers/refusal.ts'
import { type Contracts, isSameOrder, orderTermsOf, swapIdOf } from './htlc.ts'
import type { AccountSignature, NodeTransaction, SlotBlock, SolanaNode } from './nodes/node.ts'

export interface EventReader {
  read(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  readonly readBranch: BranchEvents
}

/** A node may index a transaction a moment after it shows the block: the newest slots are read again with the next range. */
const REPEATED_SLOTS = 32n
/** How many slots below the end of a range may have no block. */
const SKIPPED_SLOTS = 64n
const MAX_TRIES = 3
/** Transactions that are asked for at once. */
const TRANSACTIONS = 100
const MAX_DECODED = 10_000

/** An instruction of our program, with its place in the transaction. */
type Executed = { readonly event: OrderEvent; readonly index: number }
type Mined = AccountSignature & { readonly executed: readonly Executed[] }

export function createEventReader(node: SolanaNode, contracts: Contracts): EventReader {
  const programs = [...new Set(contracts.all.map(({ program }) => program))]
  /** What a transaction did never changes; only its slot may, by a reorg. */
  const decoded = new Map<string, Mined>()

  async function minedIn(program: Address, from: bigint, to: bigint, last: Block): Promise<readonly Mined[]> {
    const listed = await signaturesOf(program, from, to, last)
    const keyOf = ({ signature, slot }: AccountSignature) => `${program} ${slot} ${signature}`
    const unknown = listed.filter((one) => !decoded.has(keyOf(one)))
    for (let start = 0; start < unknown.length; start += TRANSACTIONS) {
      const part = unknown.slice(start, start + TRANSACTIONS)
      const transactions = await node.transactions(part.map(({ signature }) => signature))
      for (const [i, one] of part.entries())
        decoded.set(keyOf(one), { ...one, executed: executedIn(program, one, transactions[i] ?? null) })
    }
    const mined = listed.flatMap((one) => decoded.get(keyOf(one)) ?? [])
    for (const key of decoded.size > MAX_DECODED ? [...decoded.keys()].slice(0, decoded.size - MAX_DECODED) : []) decoded.delete(key)
    return mined.filter(({ executed }) => executed.length > 0)
  }

  async function signaturesOf(address: Address, from: bigint, to: bigint, last: Block): Promise<readonly AccountSignature[]> {
    try {
      return await node.signatures({ address, from, to, last })
    } catch (error) {
      if (error instanceof Refusal)
        throw new ChainFailure('unreachable', `transactions in slots ${from} to ${to} cannot be read: ${error.message}`, { cause: error })
      throw error
    }
  }

  /** Null when a reorg came in between. `last`: the last block at or below `to`. */
  async function readOnce(watched: WatchedSwaps, from: bigint, to: bigint, last: Block, heights: readonly bigint[]) {
    const [found, asked] = await Promise.all([
      Promise.all(programs.map((program) => minedIn(program, from, to, last))),
      heights.length === 0 ? [] : node.blocks(heights),
    ])
    const mined = found.flat()
    const swaps = mined.length === 0 ? null : await watched.find({ swapIds: new Set(mined.flatMap(ordersOf)), spent: [] })
    const ours = mined.filter((one) => swaps !== null && ordersOf(one).some((order) => swaps.bySwapId(order) !== undefined))
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
        return { ...common, kind: 'refunded', secret: null }
      case 'redeemed': {
        const secret = Buffer.from(event.secret).toString('hex')
        if (!isSecretFor(secret, terms.secretHash)) throw contradiction(signature)
        return { ...common, kind: 'redeemed', secret }
      }
      case 'initiated': {
        if (!isSameOrder(event.terms, orderTermsOf(contracts.of(terms.asset), terms))) throw contradiction(signature)
        return { ...common, kind: 'initiated', amount: terms.amount, expiresAt: block.height + terms.timelock }
      }
    }
  }

  /** The last block of a range. The caller reads each range once, so a partial answer would lose events. */
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

  async function retried<T>(slots: string, read: () => Promise<T | null>): Promise<T> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const answer = await read()
      if (answer !== null) return answer
    }
    throw new ChainFailure('unreachable', `the node gave no consistent view of slots ${slots}`)
  }

  return {
    async read(watched, from, to) {
      if (watched.isEmpty || programs.length === 0 || to < from) return []
      return retried(`${from} to ${to}`, async () => {
        const last = await lastBlock(from, to)
        if (last === null) return []
        const read = await readOnce(watched, from, to, last, [])
        // The same last block before and after: so all blocks below it are of one branch.
        return read !== null && (await node.block(last.height))?.hash === last.hash ? read.events : null
      })
    },
    async readBranch(watched, from, end, heights) {
      if (watched.isEmpty || programs.length === 0 || end.height < from)
        return { events: [], headers: heights.length === 0 ? [] : await node.blocks(heights) }
      const lowest = from > REPEATED_SLOTS ? from - REPEATED_SLOTS : 0n
      return retried(`${from} to ${end.height}`, () => readOnce(watched, lowest, end.height, end, heights))
    },
  }
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
 * Our program cannot do this: the order's address is derived from the terms. So the node is faulty or lies. Nobody can cause it with a
 * transaction or an order. Skipping it would lose the true event, so reading stops until the node is right.
 */
function contradiction(signature: Signature): ChainFailure {
  return new ChainFailure('unreachable', `transaction ${signature} contradicts the order that it names: the node is wrong`)
}
