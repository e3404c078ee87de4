/**
 * Holds the key of a signer on a chain. One hold of the database lock serves all actions of this process that wait for the key.
 *
 * 1. Uses of the key run one after another, until each has signed or ended. Each sees what the earlier ones signed, recorded or not: no
 *    nonce and no UTXO is allocated twice.
 * 2. One durable statement records what was signed. `record` resolves after it, so nothing is broadcast before.
 * 3. Recorded is always a prefix, in the order of signing. If a lease is lost, its attempt and all that were signed after it are dropped;
 *    only the lost one fails, and the others sign again: they may build on its nonce or its change. So no recorded transaction waits for a
 *    nonce that nobody fills.
 * 4. If the statement fails, it may still have committed: nothing of it is broadcast, and the hold ends. An action finds what was recorded
 *    when it is executed again, and broadcasts it.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import type { Leased } from '../store/actions/actions.ts'
import {
  type NewAttempt,
  readSenderAttempts,
  recordAttempts,
  type SenderAttempt,
  type SenderAttemptsQuery,
} from '../store/actions/attempts.ts'
import { withLock } from '../store/actions/leases.ts'
import type { Database } from '../store/database/database.ts'
import { sharePerDatabase } from '../store/database/share-statements.ts'
import { MAX_KEY_HOLD_MS, MAX_KEY_USE_MS, MAX_RECORD_WAIT_MS } from './times.ts'

/** A hold ends after this many signatures, or after `MAX_KEY_HOLD_MS`, so that other processes get the key. */
const MAX_USES = 50
/** A hold has a connection, and its work may need another: all holds together must leave some. Every order key is a separate key. */
const MAX_HOLDS = 12

export type KeyUse = {
  readonly chain: ChainId
  readonly sender: string
  /** A batch shares its attempts among its actions. */
  readonly actions: readonly Leased[]
  readonly holdsSecret: boolean
  /** When it aborts, the key is free for other processes at once, even while a node has not answered. All that was signed is recorded. */
  readonly stopping?: AbortSignal
}

export type OthersRange = Pick<SenderAttemptsQuery, 'since' | 'fromNonce'>

export interface KeyHold {
  readOthers(range: OthersRange): Promise<readonly SenderAttempt[]>
  /** Ends the exclusive use of the key. Call it once, after all other calls. */
  record(attempt: Attempt): Promise<void>
}

/**
 * Runs `work` exclusively, after all that waited before. `work` may run again if an attempt that was signed before its own is not recorded.
 */
export function useKey<T>(db: Database, use: KeyUse, work: (hold: KeyHold) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting: Waiting = {
      use,
      async run(hold) {
        let isDropped = false
        const onDropped = () => {
          isDropped = true
        }
        try {
          const done = await work({ readOthers: hold.readOthers, record: (attempt) => hold.record(attempt, onDropped) })
          await hold.end(onDropped)
          resolve(done)
        } catch (error) {
          if (isDropped) enqueue(db, waiting)
          else reject(error)
        }
      },
      reject,
    }
    enqueue(db, waiting)
  })
}

/** Reads attempts of other actions without holding the key: more may be recorded at any time. */
export async function readOthers(db: Database, { chain, sender, actions }: KeyUse, range: OthersRange): Promise<readonly SenderAttempt[]> {
  return ofOthers(actions, await readShared(db, { chain, sender, ...range }))
}

const readShared = sharePerDatabase<SenderAttemptsQuery, readonly SenderAttempt[]>(async (db, queries) => {
  const widest = new Map<string, SenderAttemptsQuery>()
  for (const query of queries) widest.set(nameOf(query), widen(query, widest.get(nameOf(query))))
  const found = new Map(await Promise.all([...widest].map(async ([name, query]) => [name, await readSenderAttempts(db, query)] as const)))
  return queries.map((query) => (found.get(nameOf(query)) ?? []).filter(isIn(query)))
})

function widen(query: SenderAttemptsQuery, other: SenderAttemptsQuery = query): SenderAttemptsQuery {
  const since = other.since < query.since ? other.since : query.since
  const fromNonce =
    query.fromNonce === null || other.fromNonce === null ? null : other.fromNonce < query.fromNonce ? other.fromNonce : query.fromNonce
  return { ...query, since, fromNonce }
}

function isIn({ since, fromNonce }: OthersRange): (attempt: Attempt) => boolean {
  return ({ at, nonce }) => at > since && (fromNonce === null || (nonce !== undefined && nonce >= fromNonce))
}

function ofOthers(actions: readonly Leased[], attempts: readonly SenderAttempt[]): readonly SenderAttempt[] {
  const own = new Set<ActionKey>(actions.map(({ key }) => key))
  return attempts.filter(({ key }) => !own.has(key))
}

function nameOf({ chain, sender }: { readonly chain: ChainId; readonly sender: string }): string {
  return `sender ${chain} ${sender}`
}

type Waiting = {
  readonly use: KeyUse
  /** `run` never rejects. */
  run(hold: HoldOfOne): Promise<void>
  reject(error: unknown): void
}

type HoldOfOne = Omit<KeyHold, 'record'> & {
  /** `onDropped` is called before the rejection. It means that an earlier attempt is lost, and that this use must sign again. */
  record(attempt: Attempt, onDropped: () => void): Promise<void>
  /**
   * Ends a use without a record. Its result may still depend on attempts that it has read, so the promise resolves when those are recorded.
   */
  end(onDropped: () => void): Promise<void>
}

type Keys = {
  readonly queues: Map<string, Waiting[]>
  holds: number
  readonly nextHolds: (() => void)[]
}
const keysOf = new WeakMap<Database, Keys>()

function enqueue(db: Database, one: Waiting): void {
  const keys = keysOf.get(db) ?? { queues: new Map(), holds: 0, nextHolds: [] }
  keysOf.set(db, keys)
  const name = nameOf(one.use)
  const queue = keys.queues.get(name)
  if (queue !== undefined) {
    queue.push(one)
    return
  }
  const waiting = [one]
  keys.queues.set(name, waiting)
  void serve(db, keys, name, waiting)
}

async function serve(db: Database, keys: Keys, name: string, waiting: Waiting[]): Promise<void> {
  while (waiting.length > 0) {
    let isHeld = false
    if (keys.holds < MAX_HOLDS) keys.holds += 1
    else await new Promise<void>((resolve) => keys.nextHolds.push(resolve))
    try {
      await withLock(db, name, (connection) => {
        isHeld = true
        return serveInHold(connection, waiting)
      })
    } catch (error) {
      // The hold settles all its uses, and a lost connection has released the lock.
      if (!isHeld) for (const { reject } of waiting.splice(0)) reject(error)
    }
    const next = keys.nextHolds.shift()
    if (next === undefined) keys.holds -= 1
    else next()
  }
  keys.queues.delete(name)
}

type Signed = {
  readonly attempt: NewAttempt
  resolve(): void
  reject(error: unknown): void
  onDropped(): void
  readonly signedAtMs: number
}

/** Never rejects: every use gets its own result. */
async function serveInHold(connection: Database, waiting: Waiting[]): Promise<void> {
  const endsAtMs = performance.now() + MAX_KEY_HOLD_MS
  /** All attempts that this hold signed, in the order of signing, recorded or not. */
  const signed: NewAttempt[] = []
  let unrecorded: Signed[] = []
  let newestRecord = Promise.resolve()
  let known: { readonly query: SenderAttemptsQuery; readonly attempts: readonly SenderAttempt[] } | null = null
  let drops = 0
  let failure: { readonly error: unknown } | null = null

  async function readAll(query: SenderAttemptsQuery): Promise<readonly SenderAttempt[]> {
    if (known === null || !covers(known.query, query)) known = { query, attempts: await orEndHold(readSenderAttempts(connection, query)) }
    const recorded = known.attempts.filter(isIn(query))
    const names = new Set(recorded.map(({ key, tx }) => `${key} ${tx}`))
    const inHold = signed
      .filter(isIn(query))
      .flatMap(({ actions, ...attempt }) => actions.map(({ key }) => ({ ...attempt, key, wanted: true })))
    return [...recorded, ...inHold.filter(({ key, tx }) => !names.has(`${key} ${tx}`))]
  }

  /** After an error the connection may be gone, so the next uses get another. */
  async function orEndHold<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading
    } catch (error) {
      failure = { error }
      throw error
    }
  }

  function start({ use, run, reject: fail }: Waiting): Promise<void> {
    return new Promise((paused) => {
      const giveUp = (failure: ChainFailure) => {
        isOver = true
        fail(failure)
        pause()
      }
      const late = () => giveUp(new ChainFailure('unreachable', `${nameOf(use)}: an action did not sign within ${MAX_KEY_USE_MS / 1000} s`))
      const stop = () => giveUp(new ChainFailure('superseded', `${nameOf(use)}: the engine ends`))
      const timer = setTimeout(late, MAX_KEY_USE_MS)
      const pause = () => {
        clearTimeout(timer)
        stopping?.removeEventListener('abort', stop)
        paused()
      }
      const { chain, sender, actions, holdsSecret, stopping } = use
      const dropsBefore = drops
      let isOver = false
      let hasRead = false
      const assertExclusive = () => {
        if (isOver) throw new Error('the key is not held any more: nothing may follow the record')
      }
      const hold: HoldOfOne = {
        async readOthers(range) {
          assertExclusive()
          hasRead = true
          return ofOthers(actions, await readAll({ chain, sender, ...range }))
        },
        async record(stored, onDropped) {
          assertExclusive()
          isOver = true
          if (failure !== null) throw failure.error
          if (drops !== dropsBefore) throw dropped(onDropped)
          const attempt = { ...stored, chain, sender, actions, holdsSecret }
          signed.push(attempt)
          newestRecord = new Promise<void>((resolve, reject) => {
            unrecorded.push({ attempt, resolve, reject, onDropped, signedAtMs: performance.now() })
          })
          pause()
          await newestRecord
        },
        async end(onDropped) {
          if (isOver || !hasRead) return
          isOver = true
          if (failure !== null || drops !== dropsBefore) throw dropped(onDropped)
          pause()
          try {
            await newestRecord
          } catch {
            throw dropped(onDropped)
          }
        },
      }
      stopping?.addEventListener('abort', stop)
      if (stopping?.aborted === true) {
        stop()
        return
      }
      void run(hold).finally(() => {
        isOver = true
        pause()
      })
    })
  }

  async function flush(): Promise<void> {
    const batch = unrecorded
    unrecorded = []
    if (batch.length === 0) return
    try {
      const recorded = await recordAttempts(
        connection,
        batch.map(({ attempt }) => attempt),
      )
      for (const { resolve } of batch.slice(0, recorded)) resolve()
      const [lost, ...later] = batch.slice(recorded)
      if (lost !== undefined) drop(lost, [...later, ...unrecorded.splice(0)])
    } catch (error) {
      failure = { error }
      for (const { reject } of [...batch, ...unrecorded.splice(0)]) reject(error)
    }
  }

  function drop(lost: Signed, later: readonly Signed[]): void {
    drops += 1
    signed.splice(signed.indexOf(lost.attempt))
    newestRecord = Promise.resolve()
    const keys = lost.attempt.actions.map(({ key }) => key).join(', ')
    lost.reject(new ChainFailure('superseded', `${keys}: the lease is lost, another engine has taken over`))
    for (const { reject, onDropped } of later) reject(dropped(onDropped))
  }

  const mayGoOn = () => failure === null && performance.now() < endsAtMs
  for (let uses = 0; uses < MAX_USES && mayGoOn(); ) {
    const next = waiting.shift()
    if (next === undefined) {
      if (unrecorded.length === 0) break
      await flush()
      continue
    }
    uses += 1
    const paused = start(next)
    for (;;) {
      const [oldest] = unrecorded
      if (await settlesWithin(paused, oldest === undefined ? null : oldest.signedAtMs + MAX_RECORD_WAIT_MS - performance.now())) break
      await flush()
    }
  }
  await flush()
}

function covers(known: SenderAttemptsQuery, query: SenderAttemptsQuery): boolean {
  return known.since <= query.since && (known.fromNonce === null || (query.fromNonce !== null && known.fromNonce <= query.fromNonce))
}

function dropped(onDropped: () => void): Error {
  onDropped()
  return new Error('an attempt that was signed before is not recorded: sign again')
}

async function settlesWithin(promise: Promise<void>, ms: number | null): Promise<boolean> {
  if (ms === null) {
    await promise
    return true
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms))
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
