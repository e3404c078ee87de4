// Makes blocks by a mining policy, keeps a pool of transactions, and forks on demand.
import type { Address, EncodedAccount } from '@solana/kit'
import { type Commitment, type CommitmentLags, createLedger, type Ledger, type LedgerBlock } from './ledger.ts'
import { type MinedTransaction, mineTransaction } from './mined-transaction.ts'
import { createSlotPace, SLOT_MS } from './slot-pace.ts'
import { createSvm, type Svm } from './svm.ts'
import { createTransactionPool } from './transaction-pool.ts'
import type { WireTransaction } from './wire-transaction.ts'

/**
 * instant   a transaction gets a block when it arrives, followed at once by the blocks that finalize it; else every slot has a block
 * timed     every slot of 400 ms has a block
 * manual    only `mine` makes a block
 */
export type SolanaMining = 'instant' | 'timed' | 'manual'

export type ReorgOptions = {
  readonly transactions?: 'return' | 'drop'
  /** If false, the returned transactions wait for a later block. By default the new blocks contain them, if they are still valid. */
  readonly remine?: boolean
}

export interface SolanaNode {
  readonly svm: Svm
  readonly ledger: Ledger
  setMining(mining: SolanaMining): void
  catchUp(): void
  mine(blocks?: number): void
  /** Makes a block although no slot is due. Returns false if there were too many of these blocks, which must not outrun the clock. */
  mineEarly(): boolean
  skip(slots?: number): void
  passSlots(slots: number): void
  reorg(depth: number, options?: ReorgOptions): void
  broadcast(wire: WireTransaction): void
  isPooled(signature: string): boolean
  isRecent(blockhash: string, commitment: Commitment): boolean
  lastValidHeight(block: LedgerBlock): number
  drop(count: number): void
  /** Leaders include no transaction that pays less, in micro-lamports per compute unit. */
  setMinUnitPrice(price: bigint): void
  minUnitPrice(): bigint
  onBlock(listener: (block: LedgerBlock) => void): void
  /** The listener runs before the new blocks. `forkHeight` is the last block that both branches share. */
  onReorg(listener: (forkHeight: number) => void): void
  stop(): void
}

/** In agave's rule, the hash of block 7 is valid up to a tip at height 157, so in blocks up to 158. */
const MAX_BLOCKHASH_AGE = 150
/** One slot in this many has no block. On public clusters a few in a hundred have none. */
const SKIPPED_EVERY = 16
const SKIPPED_REMAINDER = 7
/** After a long pause, only this many of the newest slots get a block, and the others count as skipped. A blockhash lives shorter. */
const MAX_CATCH_UP = 512
/** With `instant`, this is the time between a block and the ones that confirm and finalize it. */
const VOTE_MS = 10
const START_SLOT = 1_000
const MAX_BLOCKS = 9_000
/** Each takes some 4 kB. */
const MAX_TRANSACTIONS = 5_000

const defaultLags: Readonly<Record<SolanaMining, CommitmentLags>> = {
  instant: { confirmed: 1, finalized: 2 },
  timed: { confirmed: 1, finalized: 31 },
  manual: { confirmed: 1, finalized: 31 },
}

export type SolanaNodeOptions = {
  readonly genesisHash: string
  readonly mining: SolanaMining
  readonly lags?: CommitmentLags
}

export function createSolanaNode({ genesisHash, mining: initialMining, lags = defaultLags[initialMining] }: SolanaNodeOptions): SolanaNode {
  const svm = createSvm()
  const pace = createSlotPace()
  const ledger = createLedger(svm, {
    genesisHash,
    startSlot: START_SLOT,
    startTime: Math.floor(pace.now() / 1_000),
    lags,
    maxBlocks: MAX_BLOCKS,
    maxTransactions: MAX_TRANSACTIONS,
  })
  const pool = createTransactionPool()
  const blockListeners: ((block: LedgerBlock) => void)[] = []
  const reorgListeners: ((forkHeight: number) => void)[] = []
  let mining = initialMining
  let slot = START_SLOT
  let dropsLeft = 0
  let minUnitPrice = 0n
  let timer: NodeJS.Timeout | undefined

  const passSlot = () => {
    slot += 1
  }
  const isNextSkipped = () => mining !== 'manual' && (slot + 1) % SKIPPED_EVERY === SKIPPED_REMAINDER

  function makeBlock({ timeMs = pace.now(), isEmpty = false } = {}): void {
    passSlot()
    const time = Math.max(ledger.tip('processed').time, Math.floor(timeMs / 1_000))
    ledger.startBlock({ slot, time })
    const mined: MinedTransaction[] = []
    const before = new Map<Address, EncodedAccount | null>()
    pool.removeWhere(({ blockhash, signature }) => !isRecent(blockhash, 'processed') || ledger.transaction(signature) !== null)
    for (const wire of isEmpty ? [] : pool.take(minUnitPrice)) {
      const done = mineTransaction(svm, wire, slot)
      if (done === null) continue
      mined.push(done.mined)
      for (const [address, account] of done.before) if (!before.has(address)) before.set(address, account)
    }
    const block = ledger.append({ slot, time, transactions: mined }, before)
    for (const listener of blockListeners) listener(block)
  }

  function isRecent(blockhash: string, commitment: Commitment): boolean {
    const [height, tip] = [ledger.heightOf(blockhash), ledger.tip(commitment).height]
    return height !== null && height <= tip && tip <= height + MAX_BLOCKHASH_AGE
  }

  function catchUp(): void {
    if (mining === 'manual') return
    const { starts, omitted } = pace.takeDue(MAX_CATCH_UP)
    slot += omitted
    for (const timeMs of starts) {
      if (isNextSkipped()) passSlot()
      else makeBlock({ timeMs })
    }
  }

  /** Returns false if too many blocks were made on demand: the next one waits for its slot. */
  function makeBlockNow(): boolean {
    if (!pace.takeOneNow()) return false
    if (isNextSkipped()) passSlot()
    makeBlock()
    return true
  }

  function isBlockWanted(): boolean {
    if (mining !== 'instant') return false
    if (pool.hasAt(minUnitPrice)) return true
    for (let height = ledger.tip('processed').height; height > ledger.tip('finalized').height; height -= 1) {
      if ((ledger.blockAtHeight(height)?.transactions.length ?? 0) > 0) return true
    }
    return false
  }

  function schedule(delayMs: number): void {
    if (timer !== undefined || !isBlockWanted()) return
    timer = setTimeout(() => {
      timer = undefined
      catchUp()
      if (isBlockWanted()) schedule(makeBlockNow() ? VOTE_MS : pace.untilDue())
    }, delayMs).unref()
  }

  return {
    svm,
    ledger,
    setMining(next) {
      catchUp()
      // No blocks are made later for the slots of the manual time.
      if (mining === 'manual') pace.restart()
      mining = next
      schedule(0)
    },
    catchUp,
    mine(blocks = 1) {
      catchUp()
      for (let made = 0; made < blocks; made += 1) makeBlock()
    },
    mineEarly() {
      catchUp()
      return makeBlockNow()
    },
    skip(slots = 1) {
      catchUp()
      slot += slots
    },
    passSlots(slots) {
      catchUp()
      const target = slot + slots
      pace.pass(slots * SLOT_MS)
      catchUp()
      slot = Math.max(slot, target - MAX_CATCH_UP)
      while (ledger.tip('processed').slot < target) makeBlock()
    },
    reorg(depth, { transactions = 'return', remine = true } = {}) {
      catchUp()
      const waiting = pool.take(0n)
      const removed = ledger.undo(depth)
      const fork = ledger.tip('processed').height
      for (const listener of reorgListeners) listener(fork)
      if (transactions === 'return') for (const { wire } of removed.flatMap((block) => block.transactions)) pool.add(wire)
      for (const wire of waiting) pool.add(wire)
      for (let made = 0; made <= depth; made += 1) makeBlock({ isEmpty: !remine })
      schedule(0)
    },
    broadcast(wire) {
      if (dropsLeft > 0) {
        dropsLeft -= 1
        return
      }
      pool.add(wire)
      schedule(0)
    },
    isPooled: (signature) => pool.has(signature),
    isRecent,
    lastValidHeight: ({ height }) => height + MAX_BLOCKHASH_AGE,
    drop(count) {
      dropsLeft = count
    },
    setMinUnitPrice(price) {
      minUnitPrice = price
      schedule(0)
    },
    minUnitPrice: () => minUnitPrice,
    onBlock(listener) {
      blockListeners.push(listener)
    },
    onReorg(listener) {
      reorgListeners.push(listener)
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
