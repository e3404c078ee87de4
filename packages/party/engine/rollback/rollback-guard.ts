/**
 * Detects a database that was restored from an older backup, at the start and while it runs. Until the operator confirms, nothing new is
 * committed for earlier orders: their lock or refund may be signed already. Redeems, and refunds after the timelock, go on.
 */
import { randomUUID } from 'node:crypto'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Database } from '../../store/database/database.ts'
import {
  type Hold,
  isOrderUpTo,
  type Release,
  readReleaseStatus,
  recordRollback,
  registerReleaseLog,
} from '../../store/database/rollbacks.ts'
import { isWithdrawal } from '../../store/solver/withdrawals.ts'
import { repeat } from '../loop.ts'
import { ROLLBACK_CHECK_MS, ROLLBACK_COMPARED_MS } from '../times.ts'
import { openReleaseLog, type ReleaseLog } from './release-log.ts'

export interface RollbackGuard {
  /**
   * Returns why nothing may be signed for this order: the database may have lost a signature for it. The check costs at most one statement
   * a second, unless something was signed for the order.
   */
  whyUnsafe(state: Pick<OrderState, 'order' | 'source'>): Promise<string | null>
  /**
   * Rejects if no line can be written now. Call this before a key is held: a lock that cannot be noted would keep its nonce, and later
   * signatures of the key would wait for it.
   */
  assertWritable(): Promise<void>
  /** Must resolve before a signed lock or a signed refund leaves the process. */
  note(release: Release): Promise<void>
  /** Notes each transaction of an action once. `lock` is the HTLC that it initiates. */
  noteAttempt(key: ActionKey, tx: string, lock?: SwapId): Promise<void>
  /** Returns the HTLCs that this action signed initiations of. The file says so, so an edited row changes nothing here. */
  locksOf(key: ActionKey): readonly SwapId[]
  /**
   * Returns whether a refund of the order, or of a deposit under any order, is signed: an order that the database lost may be made again under
   * another id. The file says so, so a deleted or forged row changes nothing.
   */
  hasSignedRefund(orderId: string, deposits: readonly string[]): boolean
  /** Notes each transaction of a withdrawal once. `pays` says what is sent where. */
  noteTransfer(key: ActionKey, tx: string, pays: string): Promise<void>
  /** Returns all signed transfers of this withdrawal. The file says so, so a deleted or forged row changes nothing. */
  transfersOf(key: ActionKey): readonly SignedTransfer[]
  /** Returns why the database may lack what was signed, until the operator confirms; null if it does not. */
  whyHeld(): Promise<string | null>
  stop(): Promise<void>
}

export type SignedTransfer = { readonly tx: string; readonly pays: string }

export const noGuard: RollbackGuard = {
  whyUnsafe: async () => null,
  assertWritable: async () => undefined,
  note: async () => undefined,
  noteAttempt: async () => undefined,
  locksOf: () => [],
  hasSignedRefund: () => false,
  noteTransfer: async () => undefined,
  transfersOf: () => [],
  whyHeld: async () => null,
  stop: async () => undefined,
}

const KEPT = 500
/** The oldest entries are evicted: those of orders that ended long ago. */
const MAX_REMEMBERED = 50_000

export async function startRollbackGuard(options: {
  readonly db: Database
  readonly path: string
  readonly log: Logger
  readonly checkMs?: number
}): Promise<RollbackGuard> {
  const { db, log } = options
  const file = openReleaseLog(options.path)
  /** The newest lines of this process, and those that the file had at the start. */
  let known: Release[] = []
  /** The keys are actions. The locks of all lines count, also after a rollback. */
  const locks = new Map<string, readonly SwapId[]>()
  /** These are orders and deposits. Refunds of all lines count, also after a rollback. */
  const refundedOrders = new Set<string>()
  const refundedDeposits = new Set<string>()
  const transfers = new Map<string, readonly SignedTransfer[]>()
  let hold: Hold | null = null
  let isOpen = false
  let logId: string | null = null
  let comparedAtMs = Number.NEGATIVE_INFINITY
  let comparing: Promise<void> | null = null

  /** Concurrent calls share one statement, which may lack the newest lines. */
  function check(): Promise<void> {
    comparing ??= compare().finally(() => {
      comparing = null
    })
    return comparing
  }

  async function compare(): Promise<void> {
    const beganAtMs = performance.now()
    const asked = known
    const status = await readReleaseStatus(db, asked)
    comparedAtMs = beganAtMs
    if (status.missing.length > 0) {
      await detected(`the database lacks what ${options.path} names: ${JSON.stringify(status.missing[0])}`)
      return
    }
    if (hold !== null && status.hold === null) log.info('the operator has confirmed the rollback: older orders are paid for again')
    hold = status.hold
  }

  /** The record in the database comes first: without it, the next start detects the rollback again. */
  async function detected(reason: string): Promise<void> {
    const id = randomUUID()
    await recordRollback(db, id, reason)
    // A backup from before the log was made does not know the log: without this, each start would be a new rollback.
    if (logId !== null) await registerReleaseLog(db, logId)
    const marker = { rollback: id }
    known = [marker]
    await file.append(marker).catch((error: unknown) => log.error({ err: error, file: options.path }, 'cannot write the release log'))
    hold = (await readReleaseStatus(db, known)).hold
    log.error(
      { reason },
      'the database is older than what was signed: no lock and no early refund for the orders in it until you confirm with `tandem confirm-restore`; redeems and refunds go on',
    )
  }

  async function begin(): Promise<void> {
    const found = await readOrCreate(file)
    logId = found.id
    for (const line of found.commitments) remember(line)
    if (found.isNew && !(await registerReleaseLog(db, found.id)))
      await detected(`there was no file ${options.path}, although this database had one: whether it is an old backup is unknown`)
    else {
      // Compare only now, because the id of the log must be in the database. What this process knows of a file that is gone is still
      // compared.
      known = distinct([...known, ...found.newest])
      await compare()
    }
    isOpen = true
  }

  await begin().catch((error: unknown) => {
    if (!isFileError(error)) throw error
    // Redeems must go on with a full or read-only disk. Locks fail until a line can be written.
    log.error({ err: error, file: options.path }, 'cannot use the release log: nothing is paid for until it can be written')
    return check()
  })

  const loop = repeat(options.checkMs ?? ROLLBACK_CHECK_MS, check, (error) =>
    log.warn({ err: error }, 'cannot compare the database with the release log; will retry'),
  )

  async function write(line: () => Promise<void>): Promise<void> {
    let found: Hold | null = null
    try {
      if (!isOpen) {
        const before = hold
        await begin()
        found = hold?.detectedAt === before?.detectedAt ? null : hold
      }
      if (found === null) await line()
    } catch (cause) {
      isOpen = false
      throw new ChainFailure('unreachable', `cannot write the release log ${options.path}: nothing is signed without it`, { cause })
    }
    // The rollback was not known when this signature was allowed, because the file could not be read.
    if (found !== null) throw new ChainFailure('unreachable', `${found.reason}: the operator must confirm first`)
  }

  function remember(line: Release): void {
    if ('attempt' in line && isWithdrawal(line.attempt)) {
      const { attempt, tx, pays = '' } = line
      transfers.set(attempt, [...(transfers.get(attempt) ?? []), { tx, pays }])
      evictOldest(transfers)
    }
    if ('lock' in line && line.lock !== undefined) {
      locks.set(line.attempt, [...new Set([...(locks.get(line.attempt) ?? []), line.lock])])
      evictOldest(locks)
    }
    if ('refund' in line && line.refund !== undefined) rememberIn(refundedOrders, line.refund)
    if ('deposits' in line) for (const deposit of line.deposits) rememberIn(refundedDeposits, deposit)
  }

  async function note(release: Release): Promise<void> {
    await write(() => file.append(release))
    remember(release)
    known = [...known.slice(-KEPT), release]
  }

  const names = (orderId: string) => (line: Release) =>
    ('refund' in line && line.refund === orderId) ||
    ('deposits' in line && line.order === orderId) ||
    ('attempt' in line && line.attempt.startsWith(orderId))

  return {
    async whyUnsafe({ order, source }) {
      // A comparison in progress may lack the newest lines.
      if (known.some(names(order.id))) await compare()
      else if (performance.now() - comparedAtMs > ROLLBACK_COMPARED_MS) await check()
      const current = hold
      if (current === null) return null
      // An older order may be submitted again as a new one: its deposit is older than the rollback.
      const isOld = source.counted.some(({ block }) => block === null || block.time <= current.detectedAt)
      if (!isOld && !(await isOrderUpTo(db, order.id, current.newestOrder))) return null
      return 'the database was restored from an older backup: what was signed for this order since then is not known. The operator must confirm first'
    },
    assertWritable: () => write(() => file.probe()),
    note,
    async noteAttempt(key, tx, lock) {
      if (known.some((line) => 'attempt' in line && line.tx === tx && line.attempt === key)) return
      await note({ attempt: key, tx, ...(lock !== undefined && { lock }) })
    },
    async noteTransfer(key, tx, pays) {
      if (transfers.get(key)?.some((noted) => noted.tx === tx) !== true) await note({ attempt: key, tx, pays })
    },
    locksOf: (key) => locks.get(key) ?? [],
    hasSignedRefund: (orderId, deposits) => refundedOrders.has(orderId) || deposits.some((deposit) => refundedDeposits.has(deposit)),
    transfersOf: (key) => transfers.get(key) ?? [],
    async whyHeld() {
      await check()
      return hold?.reason ?? null
    },
    async stop() {
      await loop.stop()
      await file.close()
    },
  }
}

async function readOrCreate(file: ReleaseLog): Promise<{
  readonly id: string
  readonly newest: readonly Release[]
  readonly commitments: readonly Release[]
  readonly isNew: boolean
}> {
  const found = await file.read()
  // The file may have nothing but its id: a process may have died before the database knew the id.
  if (found !== null) return { ...found, isNew: found.newest.length === 1 }
  await file.create(randomUUID())
  const made = await file.read()
  if (made === null) throw new Error('the release log is gone right after it was written')
  return { ...made, isNew: true }
}

function rememberIn(remembered: Set<string>, name: string): void {
  remembered.add(name)
  evictOldest(remembered)
}

function evictOldest(remembered: Pick<Map<string, unknown>, 'keys' | 'size' | 'delete'>): void {
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}

/** Removes duplicates: a file that can be read and not written is read before each signature. */
function distinct(lines: readonly Release[]): Release[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()]
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error
}
