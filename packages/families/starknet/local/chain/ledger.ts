// Keeps the chain of blocks: their content and changes, and the state at any of them.
import { createHash, randomBytes } from 'node:crypto'
import type { Gas, GasPrices } from '../execution/gas.ts'
import type { Panic } from '../execution/panic.ts'
import type { EmittedEvent } from '../execution/run-call.ts'
import type { Changes, State, StateReader } from '../execution/state.ts'
import type { WireTransaction } from '../transactions/wire-transaction.ts'

export type MinedTransaction = {
  readonly transaction: WireTransaction
  readonly events: readonly EmittedEvent[]
  readonly gas: Gas
  readonly fee: bigint
  readonly revert: Panic | null
}

export type OpenBlock = {
  readonly number: number
  readonly timestamp: number
  readonly parentHash: bigint
  readonly prices: GasPrices
  readonly transactions: readonly MinedTransaction[]
}

export type Block = OpenBlock & { readonly hash: bigint }

export type TransactionPlace = { readonly mined: MinedTransaction; readonly index: number; readonly block: Block | OpenBlock }

export interface Ledger {
  readonly state: StateReader
  tip(): Block
  open(): OpenBlock | null
  block(number: number): Block | null
  byHash(hash: bigint): Block | null
  l1Height(): number
  stateAt(number: number): StateReader
  transaction(hash: bigint): TransactionPlace | null
  /** The numbers are ascending; blocks without transactions are left out. */
  filledBlocks(from: number, to: number): readonly number[]
  /** No block may be open. */
  start(timestamp: number, prices: GasPrices): void
  add(mined: MinedTransaction, changes: Changes): void
  close(): Block
  discard(): readonly MinedTransaction[]
  /** Returns the removed blocks, oldest first. They must not be accepted on L1. */
  undo(depth: number): readonly Block[]
}

type Undo = Map<string, bigint>
type Building = { block: OpenBlock; readonly transactions: MinedTransaction[]; readonly undo: Undo }

const noChanges: ReadonlyMap<string, bigint> = new Map()
const noTransactions: readonly MinedTransaction[] = []
/** A block hash is a felt, so it has fewer than 252 bits. */
const HASH_MASK = 2n ** 250n - 1n

export type LedgerOptions = {
  readonly genesis: Changes
  readonly timestamp: number
  readonly prices: GasPrices
  readonly l1Lag: number
}

export function createLedger({ genesis, timestamp, prices, l1Lag }: LedgerOptions): Ledger {
  const values = new Map(genesis)
  const first: Block = { number: 0, timestamp, parentHash: 0n, prices, transactions: noTransactions, hash: newHash(0n, 0) }
  const blocks: Block[] = [first]
  const byHash = new Map([[first.hash, first]])
  const places = new Map<bigint, TransactionPlace>()
  const undos = new Map<number, Undo>()
  const filled: number[] = []
  let building: Building | null = null
  let l1Height = 0

  const state: State = {
    get: (key) => values.get(key) ?? 0n,
    set(key, value) {
      values.set(key, value)
    },
  }
  const tip = () => blocks[blocks.length - 1] ?? first

  function apply(changes: ReadonlyMap<string, bigint>): void {
    for (const [key, value] of changes) state.set(key, value)
  }

  function openBlock(): Building {
    if (building === null) throw new Error('no block is open')
    return building
  }

  return {
    state,
    tip,
    open: () => building && { ...building.block, transactions: building.transactions },
    block: (number) => blocks[number] ?? null,
    byHash: (hash) => byHash.get(hash) ?? null,
    l1Height: () => l1Height,
    stateAt(number) {
      const later = [...undos.keys()].filter((height) => height > number).sort((left, right) => left - right)
      const chain = [...later.map((height) => undos.get(height) ?? noChanges), building?.undo ?? noChanges]
      return {
        get(key) {
          for (const undo of chain) {
            const before = undo.get(key)
            if (before !== undefined) return before
          }
          return state.get(key)
        },
      }
    },
    transaction(hash) {
      const place = places.get(hash)
      if (place !== undefined || building === null) return place ?? null
      const index = building.transactions.findIndex(({ transaction }) => transaction.hash === hash)
      const mined = building.transactions[index]
      return mined === undefined ? null : { mined, index, block: building.block }
    },
    filledBlocks: (from, to) => filled.slice(lowerBound(filled, from), lowerBound(filled, to + 1)),
    start(nextTimestamp, nextPrices) {
      if (building !== null) throw new Error('a block is open already')
      const parent = tip()
      const block = {
        number: parent.number + 1,
        timestamp: Math.max(parent.timestamp, nextTimestamp),
        parentHash: parent.hash,
        prices: nextPrices,
        transactions: noTransactions,
      }
      building = { block, transactions: [], undo: new Map() }
    },
    add(mined, changes) {
      const { undo, transactions } = openBlock()
      for (const key of changes.keys()) if (!undo.has(key)) undo.set(key, state.get(key))
      apply(changes)
      transactions.push(mined)
    },
    close() {
      const { block: open, transactions, undo } = openBlock()
      building = null
      const isEmpty = transactions.length === 0
      const block: Block = { ...open, transactions: isEmpty ? noTransactions : transactions, hash: newHash(open.parentHash, open.number) }
      blocks.push(block)
      byHash.set(block.hash, block)
      if (!isEmpty) {
        undos.set(block.number, undo)
        filled.push(block.number)
      }
      for (const [index, mined] of transactions.entries()) places.set(mined.transaction.hash, { mined, index, block })
      l1Height = Math.max(l1Height, block.number - l1Lag)
      return block
    },
    discard() {
      if (building === null) return noTransactions
      const { transactions, undo } = building
      apply(undo)
      building = null
      return transactions
    },
    undo(depth) {
      const possible = tip().number - l1Height
      if (depth < 1 || depth > possible)
        throw new RangeError(`cannot replace ${depth} blocks: only the newest ${possible} are not accepted on L1`)
      const removed = blocks.splice(blocks.length - depth)
      for (const { number, hash, transactions } of removed.toReversed()) {
        apply(undos.get(number) ?? noChanges)
        undos.delete(number)
        byHash.delete(hash)
        for (const { transaction } of transactions) places.delete(transaction.hash)
      }
      filled.splice(lowerBound(filled, tip().number + 1))
      return removed
    },
  }
}

/** The hash is random, so that a block which replaces another with the same content has another hash. */
function newHash(parentHash: bigint, number: number): bigint {
  const digest = createHash('sha256').update(`${parentHash} ${number}`).update(randomBytes(16)).digest('hex')
  return BigInt(`0x${digest}`) & HASH_MASK
}

function lowerBound(sorted: readonly number[], bound: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? bound) < bound) low = middle + 1
    else high = middle
  }
  return low
}
