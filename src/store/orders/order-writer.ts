/**
 * Batches concurrent inserts of orders: while one statement waits for the disk, new orders queue up and share the next statement. A single
 * order is written at once.
 */
import type { Database } from '../database/database.ts'
import { insertOrders, type OrderToWrite } from './insert-orders.ts'

export interface OrderWriter {
  /** Resolves when the order is on disk; false if it exists already, and then writes nothing. */
  write(order: OrderToWrite): Promise<boolean>
}

type Waiting = { readonly order: OrderToWrite; resolve(written: boolean): void; reject(error: unknown): void }

const MAX_BATCH = 50
/** Two, so that the database executes one while the other waits for the disk. */
const MAX_STATEMENTS = 2

export function createOrderWriter(db: Database): OrderWriter {
  const waiting: Waiting[] = []
  let statements = 0

  async function writeNext(): Promise<void> {
    const batch = waiting.splice(0, MAX_BATCH)
    try {
      const written = await insertOrders(
        db,
        batch.map(({ order }) => order),
      )
      for (const { order, resolve } of batch) resolve(written.has(order.input.order.id))
    } catch (error) {
      await settleOneByOne(batch, error)
    }
  }

  /** One faulty order must not fail its batch. */
  async function settleOneByOne(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]?.reject(error)
      return
    }
    for (const { order, resolve, reject } of batch) {
      await insertOrders(db, [order]).then((written) => resolve(written.size > 0), reject)
    }
  }

  async function work(): Promise<void> {
    if (statements >= MAX_STATEMENTS) return
    statements += 1
    while (waiting.length > 0) await writeNext()
    statements -= 1
  }

  return {
    write: (order) =>
      new Promise((resolve, reject) => {
        waiting.push({ order, resolve, reject })
        void work()
      }),
  }
}
