/** Batches concurrent requests: those made in one tick share a statement, and those made while statements run share the next one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'

export type Waiting<Item, Result> = {
  readonly item: Item
  resolve(result: Result | PromiseLike<Result>): void
  reject(error: unknown): void
}

const MAX_BATCH = 50

/** `collectMs` is how long the first request waits for others. `maxStatements` run at once: with fewer, each is larger. */
export type Sharing = { readonly collectMs?: number; readonly maxStatements?: number }

/**
 * `execute` settles every request of its batch, and must not reject. By default two statements run at once, so that the database executes
 * one while the other waits for the disk, or its answer is parsed.
 */
export function shareStatements<Item, Result>(
  execute: (batch: readonly Waiting<Item, Result>[]) => Promise<void>,
  { collectMs = 0, maxStatements = collectMs > 0 ? 1 : 2 }: Sharing = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let statements = 0

  async function work(): Promise<void> {
    if (statements >= maxStatements) return
    statements += 1
    // Callers that run after each other without waiting, e.g. because one event woke all of them, join the first statement.
    await (collectMs > 0 ? sleep(collectMs) : undefined)
    while (waiting.length > 0) await execute(waiting.splice(0, MAX_BATCH))
    statements -= 1
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void work()
    })
}

/** `execute` resolves to one result for each item, in their order; if it rejects, all calls of its batch reject. */
export function shareCalls<Item, Result>(
  execute: (items: readonly Item[]) => Promise<readonly Result[]>,
  sharing?: Sharing,
): (item: Item) => Promise<Result> {
  return shareStatements<Item, Result>(async (batch) => {
    try {
      const results = await execute(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error(`${batch.length} requests shared a statement with ${results.length} results`)
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }, sharing)
}

/** Shares statements among all callers of one database, as `shareCalls`. A request sees everything that was committed before it was made. */
export function sharePerDatabase<Item, Result>(
  execute: (db: Database, items: readonly Item[]) => Promise<readonly Result[]>,
  sharing?: Sharing,
): (db: Database, item: Item) => Promise<Result> {
  const shared = new WeakMap<Database, (item: Item) => Promise<Result>>()

  function open(db: Database): (item: Item) => Promise<Result> {
    const share = shareCalls<Item, Result>((items) => execute(db, items), sharing)
    shared.set(db, share)
    return share
  }

  return (db, item) => (shared.get(db) ?? open(db))(item)
}
