/** Orders as they were agreed: written once; only the refund address, the secret's fate and the closing mark are added later. */
import { type Selectable, sql } from 'kysely'
import type { AffiliateFee, Grant, Leg, Order, Swap } from '../protocol/order.ts'
import { anyOf } from './any-of.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'
import { termsOf } from './terms.ts'

/** An order with what a party remembers about it beside the terms. */
export type StoredOrder = {
  readonly order: Order
  readonly app: string | null
  readonly nonce: string
  readonly createdAt: Date
  readonly sourceOwner: string
  readonly destinationOwner: string
  readonly slippageBips: number
  readonly affiliateFees: readonly AffiliateFee[]
  readonly requestHash: string
  readonly tokenHash: string | null
  /** A redeem with the secret was signed. */
  readonly secretReleased: boolean
  /** And was given to a node, which did not refuse it. */
  readonly secretShown: boolean
  readonly seenSecret: string | null
  readonly closed: boolean
  readonly assetPrices: Readonly<Record<Leg, bigint>>
  readonly grants: readonly Grant[]
}

export type NewOrder = {
  readonly order: Order
  readonly app: string | null
  readonly nonce: string
  readonly sourceOwner: string
  readonly destinationOwner: string
  readonly slippageBips: number
  readonly affiliateFees: readonly AffiliateFee[]
  readonly idempotencyKey: string | null
  readonly requestHash: string
  readonly tokenHash: string | null
  readonly assetPrices: Readonly<Record<Leg, bigint>>
}

/** False when an order with the same id, nonce, idempotency key or secret hash is there already; then nothing was written. */
export async function insertOrder(db: Database, input: NewOrder): Promise<boolean> {
  const { order } = input
  const inserted = await db
    .insertInto('orders')
    .values({
      id: order.id,
      app: input.app,
      solver_id: order.solverId,
      nonce: input.nonce,
      source_owner: input.sourceOwner,
      destination_owner: input.destinationOwner,
      secret_hash: order.source.terms.secretHash,
      created_at: new Date(Number(order.createdAt) * 1000),
      deadline: order.deadline,
      slippage_bips: input.slippageBips,
      affiliate_fees: JSON.stringify(input.affiliateFees),
      idempotency_key: input.idempotencyKey,
      request_hash: input.requestHash,
      token_hash: input.tokenHash,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) return false
  await db
    .insertInto('swaps')
    .values([
      swapRow(order.id, 'source', order.source, input.assetPrices.source),
      swapRow(order.id, 'destination', order.destination, input.assetPrices.destination),
    ])
    .execute()
  return true
}

function swapRow(orderId: string, leg: Leg, swap: Swap, assetPrice: bigint) {
  return {
    order_id: orderId,
    leg,
    chain: swap.chain,
    asset: swap.terms.asset,
    swap_id: swap.swapId,
    initiator: swap.terms.initiator,
    redeemer: swap.terms.redeemer,
    amount: swap.terms.amount,
    secret_hash: swap.terms.secretHash,
    timelock: swap.terms.timelock,
    user_address: swap.userAddress,
    delegate: swap.delegate,
    required_confirmations: swap.requiredConfirmations,
    asset_price: assetPrice,
  }
}

export async function findOrder(db: Database, id: string): Promise<StoredOrder | null> {
  return (await loadOrders(db, [id]))[0] ?? null
}

export async function findOrderByNonce(
  db: Database,
  key: { readonly app: string; readonly sourceOwner: string; readonly destinationOwner: string; readonly nonce: string },
): Promise<StoredOrder | null> {
  const row = await db
    .selectFrom('orders')
    .select('id')
    .where('app', '=', key.app)
    .where('source_owner', '=', key.sourceOwner)
    .where('destination_owner', '=', key.destinationOwner)
    .where('nonce', '=', key.nonce)
    .executeTakeFirst()
  return row === undefined ? null : findOrder(db, row.id)
}

export async function findOrderByIdempotencyKey(db: Database, app: string, key: string): Promise<StoredOrder | null> {
  const row = await db.selectFrom('orders').select('id').where('app', '=', app).where('idempotency_key', '=', key).executeTakeFirst()
  return row === undefined ? null : findOrder(db, row.id)
}

/** Open orders to which anything has happened. The others, which cost nothing to make and may be many, need no looking at. */
export async function listActiveOrders(db: Database): Promise<readonly StoredOrder[]> {
  const { rows } = await sql<{ id: string }>`
    select id from orders where closed_at is null and (
      exists (select from grants where grants.order_id = orders.id)
      or exists (select from actions where actions.order_id = orders.id)
      or exists (
        select from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id
        where swaps.order_id = orders.id
      )
    )`.execute(db)
  return loadOrders(
    db,
    rows.map((row) => row.id),
  )
}

async function loadOrders(db: Database, ids: readonly string[]): Promise<readonly StoredOrder[]> {
  if (ids.length === 0) return []
  // Orders first: an order that this statement sees was committed together with what the next ones read.
  const orders = await db.selectFrom('orders').selectAll().where('id', '=', anyOf(ids)).orderBy('created_at').execute()
  const [swaps, grants] = await Promise.all([
    db.selectFrom('swaps').selectAll().where('order_id', '=', anyOf(ids)).execute(),
    db.selectFrom('grants').selectAll().where('order_id', '=', anyOf(ids)).execute(),
  ])
  const swapOf = new Map(swaps.map((row) => [`${row.order_id} ${row.leg}`, row]))
  return orders.map((row) => {
    const source = swapOf.get(`${row.id} source`)
    const destination = swapOf.get(`${row.id} destination`)
    if (source === undefined || destination === undefined) throw new Error(`order ${row.id} has lost a swap row`)
    return {
      order: {
        id: row.id,
        solverId: row.solver_id,
        createdAt: BigInt(Math.floor(row.created_at.getTime() / 1000)),
        deadline: row.deadline,
        source: parseSwap(source),
        destination: parseSwap(destination),
      },
      app: row.app,
      nonce: row.nonce,
      createdAt: row.created_at,
      sourceOwner: row.source_owner,
      destinationOwner: row.destination_owner,
      slippageBips: row.slippage_bips,
      affiliateFees: row.affiliate_fees,
      requestHash: row.request_hash,
      tokenHash: row.token_hash,
      secretReleased: row.secret_released_at !== null,
      secretShown: row.secret_shown_at !== null,
      seenSecret: row.seen_secret,
      closed: row.closed_at !== null,
      assetPrices: { source: source.asset_price, destination: destination.asset_price },
      grants: grants.filter((grant) => grant.order_id === row.id).map((grant) => ({ kind: grant.kind, signature: grant.signature })),
    }
  })
}

function parseSwap(row: Selectable<Schema['swaps']>): Swap {
  return {
    chain: row.chain,
    swapId: row.swap_id,
    terms: termsOf(row),
    userAddress: row.user_address,
    delegate: row.delegate,
    requiredConfirmations: row.required_confirmations,
  }
}

/** The first grant of a kind stands: a repeated one joins it. */
export async function addGrant(db: Database, orderId: string, grant: Grant): Promise<void> {
  await db
    .insertInto('grants')
    .values({ order_id: orderId, kind: grant.kind, signature: grant.signature })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Sets where a refund goes, only while nobody has said so before. False when somebody has. */
export async function setRefundAddress(db: Database, orderId: string, address: string): Promise<boolean> {
  const result = await db
    .updateTable('swaps')
    .set({ user_address: address })
    .where('order_id', '=', orderId)
    .where('leg', '=', 'source')
    .where('user_address', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Must be durable before the secret leaves the process; there is no way back. */
export async function markSecretReleased(db: Database, orderId: string): Promise<void> {
  await db
    .updateTable('orders')
    .set({ secret_released_at: new Date() })
    .where('id', '=', orderId)
    .where('secret_released_at', 'is', null)
    .execute()
}

export async function markSecretShown(db: Database, orderId: string): Promise<void> {
  await db
    .updateTable('orders')
    .set({ secret_shown_at: new Date() })
    .where('id', '=', orderId)
    .where('secret_shown_at', 'is', null)
    .execute()
}

/** Those of them for which nothing is under way. */
export async function closeOrders(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update orders set closed_at = now() where id = ${anyOf(ids)}
      and not exists (select from actions where order_id = orders.id and (wanted or cancelling))`.execute(db)
}

/** Orders that nobody funded until long after their deadline, by the time of the blocks that we have looked at. */
export async function closeUnfundedOrders(db: Database, lateSeconds: bigint): Promise<void> {
  await sql`
    with heard as (select chain, max(time) as time from blocks group by chain)
    update orders set closed_at = now()
    where closed_at is null
      and not exists (select from actions where order_id = orders.id and (wanted or cancelling))
      and not exists (
        select from swaps left join heard on heard.chain = swaps.chain
        where swaps.order_id = orders.id and coalesce(heard.time, 0) <= orders.deadline + ${lateSeconds.toString()}::bigint
      )
      and not exists (
        select from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id where swaps.order_id = orders.id
      )`.execute(db)
}
