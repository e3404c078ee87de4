/**
 * Batches concurrent reads of orders: while statements run, new reads queue up and share the next one. A single read is made at once. Each read
 * sees everything that was committed before it was asked for.
 */
import type { Database } from '../database/database.ts'
import { findEachSnapshot, findOrderSnapshot, type OrderSnapshot } from './orders.ts'

export interface OrderReader {
  /** Null if there is no such order. */
  read(id: string): Promise<OrderSnapshot | null>
}

type Waiting = { readonly id: string; resolve(found: OrderSnapshot | null | Promise<OrderSnapshot>): void; reject(error: unknown): void }

const MAX_BATCH = 50
/** Two, so that the database executes one while the answer of the other is parsed. */
const MAX_STATEMENTS = 2

export function createOrderReader(db: Database): OrderReader {
  const waiting: Waiting[] = []
  let statements = 0

  async function readNext(): Promise<void> {
    const batch = waiting.splice(0, MAX_BATCH)
    const [first] = batch
    try {
      if (batch.length === 1 && first !== undefined) {
        first.resolve(await findOrderSnapshot(db, first.id))
        return
      }
      const found = await findEachSnapshot(db, [...new Set(batch.map(({ id }) => id))])
      for (const { id, resolve } of batch) resolve(found.get(id) ?? null)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function work(): Promise<void> {
    if (statements >= MAX_STATEMENTS) return
    statements += 1
    while (waiting.length > 0) await readNext()
    statements -= 1
  }

  return {
    read: (id) =>
      new Promise((resolve, reject) => {
        waiting.push({ id, resolve, reject })
        void work()
      }),
  }
}
