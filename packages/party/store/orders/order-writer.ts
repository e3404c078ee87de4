/** Shares a statement among concurrent inserts of orders, because each one waits for the disk. */
import type { Database } from '../database/database.ts'
import { shareStatements, type Waiting } from '../database/share-statements.ts'
import { insertOrders, type OrderToWrite } from './insert-orders.ts'

export interface OrderWriter {
  /** Resolves when the order is on disk. Resolves to false, and writes nothing, if the order exists already. */
  write(order: OrderToWrite): Promise<boolean>
}

type WaitingOrder = Waiting<OrderToWrite, boolean>

export function createOrderWriter(db: Database): OrderWriter {
  async function writeBatch(batch: readonly WaitingOrder[]): Promise<void> {
    try {
      const written = await insertOrders(
        db,
        batch.map(({ item }) => item),
      )
      for (const { item, resolve } of batch) resolve(written.has(item.input.order.id))
    } catch (error) {
      await settleOneByOne(batch, error)
    }
  }

  /** One faulty order must not fail its batch. */
  async function settleOneByOne(batch: readonly WaitingOrder[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]?.reject(error)
      return
    }
    for (const { item, resolve, reject } of batch) {
      await insertOrders(db, [item]).then((written) => resolve(written.size > 0), reject)
    }
  }

  // While one statement waits for the disk, the next orders gather: a statement and its commit cost more than an order.
  return { write: shareStatements(writeBatch, { maxStatements: 1 }) }
}
