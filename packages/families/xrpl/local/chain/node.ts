// Runs the node: it takes transactions, closes ledgers by its mining policy, and forks on demand.
import { CLOSE_RESOLUTION, closeTimeOf } from '../ledger/close-time.ts'
import type { History, Ledger } from '../ledger/history.ts'
import { minFee } from '../transactions/apply.ts'
import { isRetried, type ResultCode } from '../transactions/result-codes.ts'
import type { SignedTransaction } from '../transactions/signed-transaction.ts'
import type { Fees } from '../transactions/transactor.ts'
import { startHistory } from './genesis.ts'
import { createOpenLedger, type OpenLedger } from './open-ledger.ts'
import { createLedgerPace } from './pace.ts'
import { createQueue, type Queue } from './queue.ts'

/**
 * instant: a ledger closes as soon as a transaction arrives, unless there were too many; else every second.
 * timed: a ledger closes every second.
 * manual: a ledger closes on `mine` only.
 */
export type XrplMining = 'instant' | 'timed' | 'manual'

export type ReorgOptions = {
  /** By default the transactions of the replaced ledgers return to the queue. */
  readonly transactions?: 'return' | 'drop'
  /** By default as many ledgers replace the old ones. */
  readonly ledgers?: number
  /** By default the new ledgers contain the returned transactions, if they are still valid. If false, these wait for a later ledger. */
  readonly remine?: boolean
}

export type Submission = {
  readonly result: ResultCode
  readonly isApplied: boolean
  readonly isQueued: boolean
  readonly isKept: boolean
}

export interface XrplNode {
  readonly networkId: number
  readonly history: History
  readonly queue: Queue
  open(): OpenLedger
  /** The fee is in drops for a reference transaction. */
  openLedgerFee(): bigint
  /** The time is in seconds of the ledger's epoch. */
  now(): number
  setMining(mining: XrplMining): void
  /** The fees take effect with the next ledger. */
  setFees(fees: Fees): void
  /** Transactions that pay less than this fee wait. A null restores the base fee. */
  congest(openLedgerFee: bigint | null): void
  /** Closes the ledgers that became due since the last call. */
  catchUp(): void
  /** A ledger closes only if there is a transaction for it, and ledgers have not outrun the clock. */
  closeOnDemand(): void
  mine(ledgers?: number): void
  /** A ledger closes more than this many seconds after the newest one. */
  passTime(seconds: number): void
  submit(transaction: SignedTransaction, options?: { readonly failHard?: boolean }): Submission
  /** The next `count` transactions are accepted and forgotten. */
  drop(count: number): void
  /** The transaction is forgotten unless it is in a closed ledger. */
  evict(hash: string): boolean
  /** A validated ledger is final on the real network. A client sees this when its node was restored to another history. */
  reorg(depth: number, options?: ReorgOptions): void
  onLedger(listener: (ledger: Ledger) => void): void
}

export type XrplNodeOptions = {
  readonly networkId: number
  readonly mining: XrplMining
  /** This account owns all XRP in the first ledger. */
  readonly masterAccount: string
  /** The wall clock is in milliseconds. */
  readonly now: () => number
}

/** The main network has voted for these values. */
const defaultFees: Fees = { base: 10n, reserveBase: 1_000_000n, reserveIncrement: 200_000n }

export function createXrplNode({ networkId, mining: initialMining, masterAccount, now }: XrplNodeOptions): XrplNode {
  const pace = createLedgerPace(now)
  const history = startHistory(masterAccount, pace.now())
  const queue = createQueue()
  const listeners: ((ledger: Ledger) => void)[] = []
  let mining = initialMining
  let fees = defaultFees
  let congestedFee: bigint | null = null
  let dropsLeft = 0
  let fork = 0
  let open = nextOpen()

  function nextOpen(): OpenLedger {
    const { index, closeTime } = history.tip()
    return createOpenLedger(history.state, { ledgerIndex: index + 1, parentCloseTime: closeTime, fees, networkId })
  }

  const openLedgerFee = () => (congestedFee !== null && congestedFee > fees.base ? congestedFee : fees.base)
  const paysOpenFee = (transaction: SignedTransaction) => transaction.fee >= minFee(transaction, openLedgerFee())

  function fill(): void {
    for (let progress = true; progress; ) {
      progress = false
      for (const transaction of queue.all()) {
        if (!paysOpenFee(transaction)) continue
        const { result, isApplied } = open.apply(transaction)
        if (!isApplied && isRetried(result)) continue
        queue.remove(transaction.hash)
        progress ||= isApplied
      }
    }
  }

  function close(time: number, isFilled = true): void {
    const { index } = history.tip()
    const transactions = open.transactions.map((added) => ({ ...added, ledgerIndex: index + 1 }))
    const closeTime = closeTimeOf(time, history.tip().closeTime)
    const ledger = history.append({ closeTime, transactions, changes: open.view.changes, fork })
    open = nextOpen()
    if (isFilled) fill()
    for (const listener of listeners) listener(ledger)
  }

  function closeOnDemand(): void {
    if (open.transactions.length === 0 || !pace.mayCloseOnDemand(history.tip().closeTime)) return
    close(pace.now())
    pace.restart()
  }

  function announce(): void {
    if (mining === 'instant') closeOnDemand()
  }

  function removeFromOpen(hash: string): boolean {
    if (!open.has(hash)) return false
    const kept = open.transactions.filter(({ transaction }) => transaction.hash !== hash)
    open = nextOpen()
    for (const { transaction } of kept) queue.put(transaction)
    fill()
    return true
  }

  function submit(transaction: SignedTransaction, { failHard = false } = {}): Submission {
    const earlier = queue.before(transaction)
    const preview = open.preview(transaction, earlier)
    const refused = { result: preview.result, isApplied: false, isQueued: false, isKept: false }
    if (!preview.isApplied) {
      const isKept = isRetried(preview.result) && !failHard
      if (isKept) keep(transaction)
      return { ...refused, isKept }
    }
    if (failHard && preview.result !== 'tesSUCCESS') return refused
    if (earlier.length > 0 || !paysOpenFee(transaction)) {
      const refusal = failHard ? 'telCAN_NOT_QUEUE' : queue.refusal(transaction, open.rules.ledgerIndex)
      if (refusal !== null) return { ...refused, result: refusal }
      keep(transaction)
      return { result: 'terQUEUED', isApplied: false, isQueued: true, isKept: true }
    }
    if (!isDropped()) {
      open.apply(transaction)
      fill()
    }
    return { result: preview.result, isApplied: true, isQueued: false, isKept: true }
  }

  function keep(transaction: SignedTransaction): void {
    if (!isDropped()) queue.put(transaction)
  }

  function isDropped(): boolean {
    if (dropsLeft === 0) return false
    dropsLeft -= 1
    return true
  }

  return {
    networkId,
    history,
    queue,
    open: () => open,
    openLedgerFee,
    now: pace.now,
    setMining(next) {
      mining = next
      pace.restart()
      announce()
    },
    setFees(next) {
      fees = next
    },
    congest(next) {
      congestedFee = next
      fill()
      announce()
    },
    catchUp() {
      if (mining === 'manual') return
      for (const time of pace.takeDue()) if (open.transactions.length > 0 || pace.mayCloseEmpty(time, history.tip().closeTime)) close(time)
    },
    closeOnDemand,
    mine(ledgers = 1) {
      for (let made = 0; made < ledgers; made += 1) close(pace.now())
      pace.restart()
    },
    passTime(seconds) {
      const past = Math.max(pace.now(), history.tip().closeTime) + seconds + 1
      pace.passTo(Math.ceil(past / CLOSE_RESOLUTION) * CLOSE_RESOLUTION)
      close(pace.now())
    },
    submit(transaction, options) {
      const submission = submit(transaction, options)
      announce()
      return submission
    },
    drop(count) {
      dropsLeft = count
    },
    evict: (hash) => queue.remove(hash) || removeFromOpen(hash),
    reorg(depth, { transactions = 'return', ledgers = depth, remine = true } = {}) {
      if (ledgers < 1) throw new RangeError('at least one ledger replaces the old ones')
      const unconfirmed = open.transactions
      fork += 1
      const removed = history.undo(depth)
      open = nextOpen()
      const returned = transactions === 'return' ? [...removed.flatMap((ledger) => ledger.transactions), ...unconfirmed] : []
      for (const { transaction } of returned) queue.put(transaction)
      if (remine) fill()
      for (let made = 1; made <= ledgers; made += 1) close(pace.now(), remine || made === ledgers)
    },
    onLedger(listener) {
      listeners.push(listener)
    },
  }
}
