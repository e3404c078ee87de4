/** Tests which funded orders are admitted to be paid. */
import { factsOf } from '@tandem/party/engine/facts.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import { sightingsOf, withResults } from '@tandem/party/store/store.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { acceptOrder } from '../orders.ts'
import { btc, caller, unpriced as ether, freshSolver, orderRequest, user, userKey, wbtc } from '../solver.fixture.ts'
import { createAdmissions } from './admissions.ts'
import { createFeeFunds } from './fee-funds.ts'

const store = sharedStore()
const solver = freshSolver(store)
let short: boolean
let cap: bigint | null
let costsAreKnown: boolean
beforeEach(async () => {
  short = false
  cap = null
  costsAreKnown = true
})

/** A redeem takes 10 now, 40 at a peak. */
function admissions(db: Database = store.db) {
  const { registry, clients, keys } = solver.context
  const costing = new Map([...clients].map(([id, client]) => [id, { ...client, chain: client.chain, legCost: async () => cost }]))
  const cost = { decimals: 18, initiate: 100n, redeem: 10n, refund: 1n }
  const highest = async () => {
    if (!costsAreKnown) throw new TandemError('chain_unavailable', 'the fees of the last day are not known')
    return cost
  }
  const funds = createFeeFunds({ registry, clients: costing, keys, legCosts: { highest }, peakFactor: 4n })
  return createAdmissions({
    db,
    funds,
    isShort: () => short,
    registry,
    unfinalCap: () => cap,
    onError: (error) => {
      throw error
    },
  })
}

const watch = () => pollChain({ db: store.db, client: solver.ethereum, holder: 'me', onReorg: () => undefined })

async function funded(isReserved = true): Promise<OrderState> {
  const request = orderRequest({
    source: { asset: wbtc, amount: '1000000', initiator: user },
    destination: { asset: btc, amount: '980000', redeemer: userKey },
  })
  await acceptOrder(solver.context, request, caller)
  const read = async () => {
    const [snapshot] = await findOrderSnapshots(store.db, [request.order_id])
    if (snapshot === undefined) throw new Error('the order was not stored')
    return deriveOrder(factsOf(solver.context.registry, snapshot, solver.context.now()))
  }
  await watch()
  await pollChain({ db: store.db, client: solver.bitcoin, holder: 'me', onReorg: () => undefined })
  const { order } = await read()
  solver.ethereum.mine(sightingsOf(order.source.swapId).initiated(order.source.terms.amount))
  await watch()
  if (isReserved) expect(await solver.context.inventory.reserve({ orderId: order.id, asset: btc, amount: 980_000n })).toBeNull()
  return read()
}

const admitted = async () => (await readInFlight(store.db)).filter((flight) => flight.admitted).length

test('an order is admitted if its redeem can be paid at a peak of fees, and is refused with what is missing if not', async () => {
  const order = await funded()
  solver.hold(ether, 39n)
  expect(await admissions().payCheck(order)).toMatch(
    /^the redeem on ethereum_localnet could not be paid for: .* has 39 of ethereum_localnet:eth .* needs 40: send 1 or more/,
  )
  expect(await admitted()).toBe(0)
  solver.hold(ether, 40n)
  expect(await admissions().payCheck(order)).toBeNull()
  expect(await admitted()).toBe(1)
})

test('an order that was admitted before comes first, and its admission ends with its redeem', async () => {
  const [one, two] = [await funded(), await funded()]
  solver.hold(ether, 79n)
  expect(await admissions().payCheck(one)).toBeNull()
  expect(await admissions().payCheck(two)).toMatch(/needs 80: send 1/)
  const { refunded } = sightingsOf(one.order.source.swapId)
  // A transaction without a block proves nothing.
  solver.ethereum.mempool = [refunded()]
  await watch()
  expect(await admissions().payCheck(two)).toMatch(/needs 80: send 1/)
  solver.ethereum.mine(refunded())
  await watch()
  expect(await admissions().payCheck(two)).toBeNull()
})

test('two concurrent orders are never both admitted with coins for one', async () => {
  for (const _ of Array(5)) {
    const orders = [await funded(), await funded()]
    const before = await admitted()
    solver.hold(ether, BigInt(before + 1) * 40n)
    await Promise.all(orders.map((order) => admissions().payCheck(order)))
    expect((await admitted()) - before).toBeLessThanOrEqual(1)
  }
})

test('an order whose costs cannot be read waits, and takes nothing from others meanwhile', async () => {
  const order = await funded()
  solver.hold(ether, 40n)
  costsAreKnown = false
  await expect(admissions().payCheck(order)).rejects.toMatchObject({
    kind: 'would-fail',
    message: 'the fees of the last day are not known',
  })
  expect(await admitted()).toBe(0)
  costsAreKnown = true
  expect(await admissions().payCheck(order)).toBeNull()
})

test('orders whose deposits wait for confirmations are admitted before, if their inventory is reserved', async () => {
  const [reserved, unreserved] = [await funded(), await funded(false)]
  solver.hold(ether, 10_000n)
  const seen = [reserved, unreserved].map((state) => ({ ...state, source: { ...state.source, phase: 'seen' as const } }))
  await admissions().admitSeen([reserved, unreserved])
  expect(await admitted()).toBe(0)
  await admissions().admitSeen(seen)
  const isAdmitted = async ({ order }: OrderState) => (await readPayFacts(store.db, order.id)).admitted
  expect([await isAdmitted(reserved), await isAdmitted(unreserved)]).toEqual([true, false])
})

test('an admitted order checks again while the last check found too few coins', async () => {
  const order = await funded()
  solver.hold(ether, 40n)
  expect(await admissions().payCheck(order)).toBeNull()
  solver.hold(ether, 0n)
  expect(await admissions().payCheck(order)).toBeNull()
  short = true
  expect(await admissions().payCheck(order)).toMatch(/needs 40: send 40/)
})

/** This is 0.0098 bitcoin at 60,000 dollars. */
const WORTH = 588_000_000n

test('the unfinal worth of a chain is limited: the next order waits, is never declined, and is paid when an earlier one is final', async () => {
  solver.hold(ether, 10_000n)
  cap = 2n * WORTH
  const orders = [await funded(), await funded(), await funded()] as const
  expect(await admissions().payCheck(orders[0])).toBeNull()
  expect(await admissions().payCheck(orders[1])).toBeNull()
  await expect(admissions().payCheck(orders[2])).rejects.toThrow(
    '$1176.00 of deposits from ethereum_localnet are not final yet, and the limit is $1176.00: this order of $588.00 waits until they are',
  )
  expect(await admitted()).toBe(2)
  // The deposits are in consecutive blocks. Twelve blocks are final.
  solver.ethereum.grow(9)
  await watch()
  expect(await admissions().payCheck(orders[2])).toBeNull()
})

test('an order above the limit waits until its own deposit is final', async () => {
  solver.hold(ether, 10_000n)
  cap = WORTH - 1n
  const order = await funded()
  await expect(admissions().payCheck(order)).rejects.toThrow('waits')
  solver.ethereum.grow(11)
  await watch()
  expect(await admissions().payCheck(order)).toBeNull()
})

test('orders use the headroom one after another, also in two processes', async () => {
  solver.hold(ether, 10_000n)
  cap = WORTH
  const [one, other] = [await funded(), await funded()]
  const locked = sql`select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  let isSettled = false
  let second: Promise<unknown> | null = null
  // The second check begins when the first has read what is open, and has taken nothing yet.
  const db = withResults(store.db, async (rows) => {
    if (second !== null || !rows.some((row) => 'source_spent' in row)) return
    second = admissions(store.other)
      .payCheck(other)
      .catch((error: Error) => error.message)
      .finally(() => {
        isSettled = true
      })
    await expect.poll(async () => isSettled || (await locked.execute(store.db)).rows.length > 0).toBe(true)
  })
  expect(await admissions(db).payCheck(one)).toBeNull()
  expect(await second).toContain('waits until they are')
  expect(await admitted()).toBe(1)
})

test('no more concurrent orders are admitted than the limit allows', async () => {
  solver.hold(ether, 10_000n)
  cap = 2n * WORTH
  const orders = [await funded(), await funded(), await funded(), await funded()]
  await Promise.allSettled(orders.map((order) => admissions().payCheck(order)))
  expect(await admitted()).toBe(2)
})
