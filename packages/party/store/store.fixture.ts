/** Opens an empty store on a real database, with two pools that act like two processes; and makes example orders, blocks and events. */

import { randomBytes } from 'node:crypto'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent, HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg, Swap } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { createTestDatabase } from '../../../test/database.ts'
import type { LeasedAction } from './actions/actions.ts'
import { type NewAttempt, recordAttempts } from './actions/attempts.ts'
import { type Database, openDatabase } from './database/database.ts'
import { insertOrder, type NewOrder } from './orders/insert-orders.ts'
import { findOrder, type StoredOrder } from './orders/orders.ts'
import { createVault } from './orders/sealed-values.ts'
import { sealSwaps } from './orders/swap-seals.ts'
import { deriveOrders, type StoredRange } from './orders/touched-orders.ts'

export const NOW = 1_800_000_000n
export const VAULT_KEY = '42'.repeat(32)
const vault = createVault(VAULT_KEY)
const REQUEST_HASH = 'hash of the request'

export type TestStore = { readonly db: Database; readonly other: Database; readonly url: string; close(): Promise<void> }

export async function openTestStore(): Promise<TestStore> {
  const database = await createTestDatabase()
  const [db, other] = [await openDatabase(database.url), await openDatabase(database.url)]
  return {
    db,
    other,
    url: database.url,
    async close() {
      await Promise.all([db.destroy(), other.destroy()])
      await database.drop()
    },
  }
}

export function withResults(db: Database, onResult: (rows: readonly object[]) => unknown): Database {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await onResult(result.rows)
      return result
    },
  })
}

export async function recordAttempt(
  db: Database,
  actions: readonly LeasedAction[],
  attempt: Omit<NewAttempt, 'actions'>,
): Promise<boolean> {
  return (await recordAttempts(db, [{ ...attempt, actions }])) === 1
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

export type ExampleChanges = Partial<Omit<NewOrder, 'order'>> & {
  readonly id?: string
  readonly secret?: string
  readonly deadline?: bigint
  readonly source?: Partial<Swap>
  readonly destination?: Partial<Swap>
}

/** Ids of examples are random. Simulated chains answer with them for exactly their terms. */
const exampleIds = new Map<string, string>()

export function exampleSwapId(chain: string, terms: HtlcTerms): string | null {
  return exampleIds.get(keyOfTerms(chain, terms)) ?? null
}

function keyOfTerms(chain: string, terms: HtlcTerms): string {
  return JSON.stringify([chain, terms.asset, terms.initiator, terms.redeemer, `${terms.amount}`, terms.secretHash, `${terms.timelock}`])
}

/** Makes an order of one bitcoin for one wrapped bitcoin, with unique ids and secret. */
export function exampleOrder(changes: ExampleChanges = {}): NewOrder {
  const { id = hex(32), secret = createSecret(), deadline = NOW + 3600n, source, destination, ...rest } = changes
  const secretHash = hashSecret(secret)
  const swap = (leg: Leg): Swap => ({
    chain: leg === 'source' ? 'bitcoin_regtest' : 'ethereum_localnet',
    swapId: hex(16),
    terms: {
      asset: leg === 'source' ? 'bitcoin_regtest:btc' : 'ethereum_localnet:wbtc',
      initiator: leg === 'source' ? 'user' : 'solver',
      redeemer: leg === 'source' ? 'solver' : 'user',
      amount: 100_000_000n,
      secretHash,
      timelock: leg === 'source' ? 200n : 180n,
    },
    userAddress: null,
    orderKey: null,
    payer: null,
    clientKey: false,
    agreedAmount: 100_000_000n,
    depositAddress: null,
    gas: null,
    maxFee: null,
    requiredConfirmations: 1,
  })
  const legs = { source: { ...swap('source'), ...source }, destination: { ...swap('destination'), ...destination } }
  for (const { chain, swapId, terms } of Object.values(legs)) exampleIds.set(keyOfTerms(chain, terms), swapId)
  const order = { id, solverId: 'solver', createdAt: NOW, deadline, priceExpiresAt: deadline, ...legs }
  return {
    order,
    app: null,
    nonce: hex(8),
    sourceOwner: 'alice',
    destinationOwner: 'bob',
    slippageBips: 50,
    affiliateFees: [],
    idempotencyKey: null,
    requestHash: REQUEST_HASH,
    tokenHash: null,
    clientSecret: false,
    assetPrices: { source: 6_000_000_000_000n, destination: 6_000_000_000_001n },
    worth: null,
    seals: sealSwaps(vault, { order, tokenHash: rest.tokenHash ?? null, requestHash: rest.requestHash ?? REQUEST_HASH }),
    ...rest,
  }
}

export async function putOrder(db: Database, changes: ExampleChanges = {}): Promise<NewOrder> {
  const input = exampleOrder(changes)
  if (!(await insertOrder(db, input))) throw new Error('the example order exists already')
  return input
}

export async function storedOrder(db: Database, orderId: string): Promise<StoredOrder> {
  const stored = await findOrder(db, orderId)
  if (stored === null) throw new Error(`there is no order ${orderId}`)
  return stored
}

/** The blocks of the branch `name` are 10 seconds apart. */
export function blockOf(height: bigint, name = 'a', parent = name): Block {
  return { height, hash: `${name}${height}`, parentHash: `${parent}${height - 1n}`, time: NOW + height * 10n }
}

export function sightingsOf(swapId: string, block: Block | null = null) {
  const sighting = {
    swapId,
    index: 'log:0',
    deposit: `deposit of ${swapId}`,
    block: block && { height: block.height, hash: block.hash, time: block.time },
  }
  return {
    initiated: (amount = 100_000_000n): HtlcEvent => ({
      ...sighting,
      tx: `initiation of ${swapId}`,
      kind: 'initiated',
      amount,
      expiresAt: null,
    }),
    redeemed: (secret: string): HtlcEvent => ({ ...sighting, tx: `redeem of ${swapId}`, kind: 'redeemed', secret }),
    refunded: (): HtlcEvent => ({ ...sighting, tx: `refund of ${swapId}`, kind: 'refunded', secret: null }),
  }
}

/** Closes an order without the checks of `closeOrders`. */
export async function closeAnyway(db: Database, orderId: string): Promise<void> {
  await db.updateTable('orders').set({ closed_at: new Date() }).where('id', '=', orderId).execute()
}

/** Takes all touched orders and no due ones, and writes these ranges. Returns the orders. */
export async function deriveTouched(db: Database, ranges: readonly StoredRange[] = []): Promise<readonly string[]> {
  const query = { chains: [], untagged: 0n, now: 0n, nowMs: 0n, shards: [], limit: 1000 }
  const derived = { orderIds: [], wanted: [], confirmed: new Set<string>(), statuses: [], ranges }
  return (await deriveOrders(db, query, async () => derived)).orderIds
}
