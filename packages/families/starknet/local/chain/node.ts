// Adds transactions to the pool, makes blocks by a mining policy, and forks on demand.
import { accountOfKey } from '../account-keys.ts'
import type { BlockInfo } from '../classes/contract-class.ts'
import { defaultGasPrices, type GasPrices } from '../execution/gas.ts'
import { type Chain, NotValid, runTransaction } from '../execution/run-transaction.ts'
import { nonceKey } from '../execution/state.ts'
import type { DeclaredClass } from '../transactions/declared-class.ts'
import type { WireTransaction } from '../transactions/wire-transaction.ts'
import { assertAcceptable } from './admission.ts'
import { createBlockClock } from './clock.ts'
import { createGenesis } from './genesis.ts'
import { type Block, createLedger, type Ledger, type MinedTransaction } from './ledger.ts'
import { createPool, type Pool } from './pool.ts'

/**
 * instant   a transaction gets a block when it arrives; else every second has a block
 * timed     every second has a block
 * manual    only `mine` makes a block
 */
export type StarknetMining = 'instant' | 'timed' | 'manual'

export type ReorgOptions = {
  /** By default, the transactions of the replaced blocks return to the pool. */
  readonly transactions?: 'return' | 'drop'
  /** By default, as many blocks replace the old ones. */
  readonly blocks?: number
  /** If false, the returned transactions wait for a later block. By default the new blocks contain them, if they are still valid. */
  readonly remine?: boolean
}

export interface StarknetNode {
  readonly chain: Chain
  readonly ledger: Ledger
  readonly pool: Pool
  readonly declared: ReadonlyMap<bigint, DeclaredClass>
  nextBlock(): BlockInfo & { readonly prices: GasPrices }
  setMining(mining: StarknetMining): void
  setGasPrices(prices: GasPrices): void
  catchUp(): void
  mine(blocks?: number): void
  passTime(seconds: number): void
  /** `mine` completes the pre-confirmed block. */
  preConfirm(): void
  /** The transactions return to the pool by default. */
  dropPreConfirmed(transactions?: 'return' | 'drop'): void
  submit(transaction: WireTransaction): void
  /** The node accepts the next `count` transactions and forgets them. */
  drop(count: number): void
  evict(hash: bigint): boolean
  reorg(depth: number, options?: ReorgOptions): void
  onBlock(listener: (block: Block) => void): void
  onReorg(listener: (removed: readonly Block[]) => void): void
}

export type StarknetNodeOptions = {
  readonly chainId: bigint
  readonly mining: StarknetMining
  readonly l1Lag: number
  /** The accounts of these private keys are deployed and own STRK from the first block on. */
  readonly keys: readonly string[]
  readonly declaresHtlc: boolean
  /** The time is in milliseconds. */
  readonly now?: () => number
}

export function createStarknetNode({ mining: initialMining, l1Lag, keys, now, ...options }: StarknetNodeOptions): StarknetNode {
  const clock = createBlockClock(now)
  const { chain, changes } = createGenesis({ ...options, accounts: keys.map(accountOfKey) })
  let prices = defaultGasPrices
  const ledger = createLedger({ genesis: changes, timestamp: clock.now(), prices, l1Lag })
  const pool = createPool()
  const declared = new Map<bigint, DeclaredClass>()
  const blockListeners: ((block: Block) => void)[] = []
  const reorgListeners: ((removed: readonly Block[]) => void)[] = []
  let mining = initialMining
  let dropsLeft = 0

  const nonceOf = (sender: bigint) => ledger.state.get(nonceKey(sender))

  function nextBlock(): BlockInfo & { readonly prices: GasPrices } {
    return ledger.open() ?? { number: ledger.tip().number + 1, timestamp: Math.max(ledger.tip().timestamp, clock.now()), prices }
  }

  function fill(): void {
    const block = nextBlock()
    for (;;) {
      const transaction = pool.next(block.prices, nonceOf)
      if (transaction === undefined) return
      pool.remove(transaction.hash)
      const mined = execute(transaction, block)
      if (mined !== null && transaction.type === 'DECLARE') declared.set(transaction.classHash, transaction.declared)
    }
  }

  function execute(transaction: WireTransaction, block: ReturnType<typeof nextBlock>): MinedTransaction | null {
    try {
      const { state, events, gas, fee, revert } = runTransaction(chain, ledger.state, block, transaction, {
        validates: true,
        charges: true,
      })
      const mined = { transaction, events, gas, fee, revert }
      ledger.add(mined, state.changes)
      return mined
    } catch (error) {
      if (error instanceof NotValid) return null
      throw error
    }
  }

  function makeBlock(timestamp = clock.now(), isFilled = true): void {
    if (ledger.open() === null) ledger.start(timestamp, prices)
    if (isFilled) fill()
    const block = ledger.close()
    pool.removeUsed(nonceOf)
    for (const listener of blockListeners) listener(block)
  }

  function announce(): void {
    if (mining !== 'instant' || pool.next(prices, nonceOf) === undefined) return
    makeBlock()
    clock.restart()
  }

  function returnToPool(transactions: readonly MinedTransaction[]): void {
    for (const { transaction } of transactions) if (transaction.nonce >= nonceOf(transaction.sender)) pool.put(transaction)
  }

  return {
    chain,
    ledger,
    pool,
    declared,
    nextBlock,
    setMining(next) {
      mining = next
      clock.restart()
      announce()
    },
    setGasPrices(next) {
      prices = next
      announce()
    },
    catchUp() {
      if (mining === 'manual') return
      for (const timestamp of clock.takeDue()) makeBlock(timestamp)
    },
    mine(blocks = 1) {
      for (let made = 0; made < blocks; made += 1) makeBlock()
      clock.restart()
    },
    passTime(seconds) {
      clock.pass(seconds)
      // A block that is open already has its time, so it must end before the clock moves.
      if (ledger.open() !== null) makeBlock()
      makeBlock()
    },
    preConfirm() {
      if (ledger.open() === null) ledger.start(clock.now(), prices)
      fill()
    },
    dropPreConfirmed(transactions = 'return') {
      const discarded = ledger.discard()
      if (transactions === 'return') returnToPool(discarded)
    },
    submit(transaction) {
      assertAcceptable({ chain, ledger, pool, block: nextBlock() }, transaction)
      if (dropsLeft > 0) {
        dropsLeft -= 1
        return
      }
      pool.put(transaction)
      announce()
    },
    drop(count) {
      dropsLeft = count
    },
    evict: (hash) => pool.remove(hash),
    reorg(depth, { transactions = 'return', blocks = depth, remine = true } = {}) {
      if (blocks < 1) throw new RangeError('at least one block replaces the old ones')
      const open = ledger.discard()
      const removed = ledger.undo(depth)
      if (transactions === 'return') returnToPool([...removed.flatMap((block) => block.transactions), ...open])
      for (const listener of reorgListeners) listener(removed)
      for (let made = 0; made < blocks; made += 1) makeBlock(undefined, remine)
    },
    onBlock(listener) {
      blockListeners.push(listener)
    },
    onReorg(listener) {
      reorgListeners.push(listener)
    },
  }
}
