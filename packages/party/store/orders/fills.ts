/** Stores fills, i.e. which deposits the solver pays for. The service proposes, the solver signs, one per order. */

import type { Fill } from '@tandem/protocol/fill.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** The destination depends on the fill, because on some chains the id of an HTLC depends on its amount. */
export type FilledDestination = { readonly amount: bigint; readonly swapId: SwapId }

/**
 * The proposal is stored before the solver is asked, with the destination HTLC that the solver would initiate, so that this HTLC is watched
 * from the start. Returns false if there is a fill already.
 */
export async function recordProposal(db: Database, orderId: string, fill: Fill, destination: FilledDestination): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await insertFill(tx, orderId, fill, null))) return false
    await setDestination(tx, orderId, destination)
    return true
  })
}

/** A signature is ignored if it is not for the current proposal. */
export async function recordSignature(db: Database, orderId: string, fill: Fill, signature: string): Promise<void> {
  await db
    .updateTable('fills')
    .set({ signature })
    .where('order_id', '=', orderId)
    .where((eb) => sql<boolean>`${eb.ref('deposits')} = ${[...fill.deposits]}::text[]`)
    .where('block_hash', '=', fill.blockHash)
    .where('destination_amount', '=', fill.destinationAmount)
    .where('signature', 'is', null)
    .execute()
}

/** The solver stores its own fill before its signature leaves the process. Returns false if there is a fill already. */
export async function recordOwnFill(
  tx: Database,
  orderId: string,
  fill: Fill,
  destination: FilledDestination,
  signature: string,
): Promise<boolean> {
  if (!(await insertFill(tx, orderId, fill, signature))) return false
  await setDestination(tx, orderId, destination)
  return true
}

export async function dropProposal(db: Database, orderId: string): Promise<void> {
  await db.deleteFrom('fills').where('order_id', '=', orderId).where('signature', 'is', null).execute()
}

/** The first reason is kept. */
export async function recordDecline(db: Database, orderId: string, reason: string): Promise<void> {
  await db.updateTable('orders').set({ declined: reason }).where('id', '=', orderId).where('declined', 'is', null).execute()
}

async function insertFill(tx: Database, orderId: string, fill: Fill, signature: string | null): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('fills')
    .values({
      order_id: orderId,
      deposits: [...fill.deposits],
      block_hash: fill.blockHash,
      destination_amount: fill.destinationAmount,
      signature,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

async function setDestination(tx: Database, orderId: string, { amount, swapId }: FilledDestination): Promise<void> {
  await sql`
    update swaps set amount = ${amount.toString()}::numeric, swap_id = ${swapId}
    where order_id = ${orderId} and leg = 'destination' and (amount <> ${amount.toString()}::numeric or swap_id <> ${swapId})`.execute(tx)
}
