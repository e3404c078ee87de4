/** Shares a statement among concurrent reads of orders. Each read sees everything that was committed before it began. */
import type { Database } from '../database/database.ts'
import { shareStatements, type Waiting } from '../database/share-statements.ts'
import { findEachSnapshot, type OrderSnapshot } from './orders.ts'

export interface OrderReader {
  read(id: string): Promise<OrderSnapshot | null>
}

export function createOrderReader(db: Database): OrderReader {
  async function readBatch(batch: readonly Waiting<string, OrderSnapshot | null>[]): Promise<void> {
    try {
      const found = await findEachSnapshot(db, [...new Set(batch.map(({ item }) => item))])
      for (const { item, resolve } of batch) resolve(found.get(item) ?? null)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  // A statement costs more than an order in it.
  return { read: shareStatements(readBatch, { maxStatements: 1 }) }
}
