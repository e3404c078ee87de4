/** Tests that a solver reserves no more than it has and no more than its limits. */
import { loadFacts } from '@tandem/party/engine/facts.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { recordDecline } from '@tandem/party/store/orders/fills.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { statementsOf } from '@tandem/party/store/statements.fixture.ts'
import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createGrants, type Grants } from './grants.ts'
import { createInventory, type Inventory } from './inventory.ts'
import { whyNotPay } from './pay-checks.ts'
import { createPriceCheck } from './pricing/price-check.ts'
import { acceptedOrder, freshSolver, wbtc } from './solver.fixture.ts'

const store = sharedStore()
const solver = freshSolver(store)
beforeEach(async () => {
  await store.db.deleteFrom('inventory_marks').execute()
})

const AMOUNT = 980_000n

const agree = () => acceptedOrder(solver)
const watch = async () => {
  for (const client of [solver.bitcoin, solver.ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
const fund = ({ source }: Order) => solver.bitcoin.mine(sightingsOf(source.swapId).initiated(source.terms.amount))
const open = (db = store.db, whyOverCap?: (orderId: string) => Promise<string | null>): Inventory => {
  const { registry, clients, keys, now } = solver.context
  return createInventory({ db, registry, clients, keys, now, keepMs: 0, ...(whyOverCap !== undefined && { whyOverCap }) })
}
const reserve = (inventory: Inventory, { id }: Order, amount = AMOUNT) => inventory.reserve({ orderId: id, asset: wbtc, amount })
const rows = async () => store.db.selectFrom('reservations').select(['order_id', 'amount']).execute()
async function stateOf({ id }: Order) {
  const stored = await findOrder(store.db, id)
  const [facts] = stored === null ? [] : await loadFacts(store.db, solver.context.registry, [stored], solver.world.now)
  if (facts === undefined) throw new Error('the order is gone')
  return deriveOrder(facts)
}

test('all checks before payments that are due together share one statement', async () => {
  const states = [await stateOf(await agree()), await stateOf(await agree())]
  solver.hold(wbtc, 2n * AMOUNT)
  const inventory = open()
  for (const { order } of states) await reserve(inventory, order)
  const checks = [createPriceCheck(solver.context), solver.context.risk.payCheck, inventory.payCheck]
  const sent = await statementsOf(async () => {
    expect(await Promise.all(states.map((state) => whyNotPay(checks, state)))).toEqual([null, null])
  })
  expect(sent).toHaveLength(1)
})

test('a reservation is kept for its order alone, grows if more is needed, and a repeat changes nothing', async () => {
  const [one, two] = [await agree(), await agree()]
  solver.hold(wbtc, 1_500_000n)
  const inventory = open()
  expect(await reserve(inventory, one)).toBeNull()
  expect(await reserve(inventory, one)).toBeNull()
  expect(await reserve(inventory, two)).toBe('too little of ethereum_localnet:wbtc is available: 520000 of 980000')
  expect(await reserve(inventory, one, 1_000_000n)).toBeNull()
  expect(await rows()).toEqual([{ order_id: one.id, amount: 1_000_000n }])
  expect(await inventory.available(wbtc)).toBe(500_000n)
})

test('a declined order gives its reservation back, and so does one that is too late', async () => {
  const [declined, late, other] = [await agree(), await agree(), await agree()]
  await watch()
  for (const order of [declined, late]) fund(order)
  await watch()
  solver.hold(wbtc, AMOUNT * 2n)
  const inventory = open()
  expect(await Promise.all([reserve(inventory, declined), reserve(inventory, late), reserve(inventory, other)])).toEqual([
    null,
    null,
    expect.stringContaining('too little'),
  ])
  await recordDecline(store.db, declined.id, 'no')
  expect(await reserve(inventory, other)).toBeNull()
  solver.world.now += 86_400n
  await watch()
  await inventory.available(wbtc)
  expect((await rows()).map((row) => row.order_id)).not.toContain(late.id)
})

test('a payment is refused without a reservation, and reserves by itself if there is enough', async () => {
  const [one, two] = [await agree(), await agree()]
  await watch()
  for (const order of [one, two]) fund(order)
  await watch()
  solver.hold(wbtc, AMOUNT)
  const inventory = open()
  expect(await inventory.payCheck(await stateOf(one))).toBeNull()
  expect(await inventory.payCheck(await stateOf(two))).toContain('too little of ethereum_localnet:wbtc')
  expect(await inventory.payCheck(await stateOf(one))).toBeNull()
})

test('inventory is reserved as soon as a deposit is in a block, before its confirmations', async () => {
  const [order, unfunded] = [await agree(), await agree()]
  await store.db.updateTable('swaps').set({ required_confirmations: 3 }).where('leg', '=', 'source').execute()
  await watch()
  fund(order)
  await watch()
  const states = [await stateOf(order), await stateOf(unfunded)]
  expect(states.map((state) => state.source.phase)).toEqual(['seen', 'waiting'])
  await open().reserveSeen(states)
  expect(await rows()).toEqual([{ order_id: order.id, amount: AMOUNT }])
})

test('the cap of a pair is asked with all earlier grants on record', async () => {
  const orders = [await agree(), await agree(), await agree()]
  const inventory = open(store.db, async () => ((await rows()).length >= 2 ? 'the cap is reached' : null))
  expect(await Promise.all(orders.map((order) => reserve(inventory, order)))).toEqual([null, null, 'the cap is reached'])
})

describe('of many assets at once', () => {
  const grantsWith = (balanceOf: (asset: AssetId) => Promise<bigint>) =>
    createGrants({
      db: store.db,
      reservations: { read: async () => new Map(), firm: async () => new Map((await rows()).map((row) => [row.order_id, row.amount])) },
      balanceOf,
    })
  const ask = (grants: Grants, asset: AssetId) => grants.reserve({ orderId: 'an order', asset, amount: 1n })
  const assetsOf = (chains: number) => Array.from({ length: 40 }, (_, n): AssetId => `chain${n % chains}:token${n}`)

  test('the connections to the database are never used up', async () => {
    const grants = grantsWith(async () => 0n)
    const answers = await Promise.all(assetsOf(10).map((asset) => ask(grants, asset)))
    expect(answers).toEqual(answers.map(() => expect.stringContaining('too little')))
  })

  test('a chain whose nodes hang delays no other', async () => {
    let answer = (_balance: bigint): void => undefined
    const hanging = new Promise<bigint>((resolve) => {
      answer = resolve
    })
    const grants = grantsWith((asset) => (asset.startsWith('chain0:') ? hanging : Promise.resolve(0n)))
    const late = Promise.all(assetsOf(1).map((asset) => ask(grants, asset)))
    expect(await ask(grants, 'chain1:token')).toContain('too little')
    answer(0n)
    expect(await late).toHaveLength(40)
  })
})

describe('under load, firm reservations never exceed the balance', () => {
  test.each([1, 2, 3])('seed %i', async (seed) => {
    const next = randomFrom(seed)
    const pick = <T>(values: readonly T[]): T => values[next() % values.length] as T
    const orders = await Promise.all(Array.from({ length: 20 }, agree))
    const processes = [open(), open(store.other)] as const
    const over = new Set<string>()
    let balance = AMOUNT * 5n
    solver.hold(wbtc, balance)
    await watch()
    const firm = async () => (await rows()).filter((row) => !over.has(row.order_id)).reduce((sum, row) => sum + row.amount, 0n)
    let most = 0n
    for (let n = 0; n < 25; n += 1) {
      const some = Array.from({ length: 5 }, () => pick(orders)).filter((order) => !over.has(order.id))
      for (const order of some) if (next() % 2 === 0) fund(order)
      if (next() % 3 > 0) await watch()
      await Promise.all(some.map((order) => reserve(pick(processes), order)))
      const [paid] = (await rows()).filter((row) => !over.has(row.order_id))
      if (paid !== undefined && next() % 2 === 0) {
        const order = orders.find(({ id }) => id === paid.order_id)
        if (order === undefined) throw new Error('a reservation of an unknown order')
        solver.ethereum.mine(sightingsOf(order.destination.swapId).initiated(AMOUNT))
        balance -= AMOUNT
        over.add(order.id)
      } else if (next() % 3 === 0) {
        // The operator deposits, or a refund arrives.
        balance += AMOUNT
      }
      solver.hold(wbtc, balance)
      const reserved = await firm()
      most = reserved > most ? reserved : most
      expect(reserved, `step ${n}`).toBeLessThanOrEqual(balance)
    }
    expect(most).toBeGreaterThan(AMOUNT)
  })
})

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
