import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestStore, putOrder, type TestStore, VAULT_KEY } from '../store.fixture.ts'
import { findOrder } from './orders.ts'
import { createVault } from './sealed-values.ts'
import { assertSealed } from './swap-seals.ts'

const vault = createVault(VAULT_KEY)
let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const make = async () =>
  (
    await putOrder(store.db, {
      tokenHash: 'hash of the token',
      source: { userAddress: 'home', orderKey: 'key', payer: 'payer' },
      destination: { userAddress: 'home', orderKey: 'key', mostFee: 5n },
    })
  ).order
const stored = async (id: string) => {
  const found = await findOrder(store.db, id)
  if (found === null) throw new Error('the order is gone')
  return found
}

/** What decides where the money of an order goes, and is not on a chain. */
const columns: readonly (readonly [column: string, forged: string | null])[] = [
  ['chain', 'another_chain'],
  ['asset', 'another:asset'],
  ['initiator', 'thief'],
  ['redeemer', 'thief'],
  ['secret_hash', '00'.repeat(32)],
  ['timelock', '1'],
  ['user_address', 'thief'],
  ['user_address', null],
  ['order_key', 'thief'],
  ['payer', 'thief'],
  ['agreed_amount', '1'],
  ['most_fee', '99999'],
  ['client_key', 'true'],
  ['seal', null],
  ['seal', '00'.repeat(32)],
]

describe.each(['source', 'destination'] as const)('a row of a %s', (leg) => {
  test('is accepted as it was written', async () => {
    const { id } = await make()
    assertSealed(vault, await stored(id))
  })

  test.each(columns)('with another %s is found out: %s', async (column, forged) => {
    const { id } = await make()
    await sql`update swaps set ${sql.ref(column)} = ${forged} where order_id = ${id} and leg = ${leg}`.execute(store.db)
    const changed = await stored(id)
    expect(() => assertSealed(vault, changed)).toThrow(
      new RegExp(`order ${id}: its ${leg} in the table swaps.*Restore the row from a backup`),
    )
  })

  test('of another order does not stand in for it', async () => {
    const [one, other] = [await make(), await make()]
    await sql`update swaps set (user_address, order_key, seal) = (select 'thief', order_key, seal from swaps as others
      where others.order_id = ${other.id} and others.leg = ${leg}) where order_id = ${one.id} and leg = ${leg}`.execute(store.db)
    const changed = await stored(one.id)
    expect(() => assertSealed(vault, changed)).toThrow('is not as this service wrote it')
  })
})

test('a source with another amount is found out; the amount of a destination follows the deposits', async () => {
  const { id } = await make()
  const edit = (leg: string, amount: number) =>
    sql`update swaps set amount = ${amount} where order_id = ${id} and leg = ${leg}`.execute(store.db)
  await edit('destination', 7)
  assertSealed(vault, await stored(id))
  await edit('source', 7)
  const changed = await stored(id)
  expect(() => assertSealed(vault, changed)).toThrow('its source in the table swaps')
})

test.each(['token_hash', 'request_hash'])('an order with another %s is found out', async (column) => {
  const { id } = await make()
  await sql`update orders set ${sql.ref(column)} = 'that of a thief' where id = ${id}`.execute(store.db)
  const changed = await stored(id)
  expect(() => assertSealed(vault, changed)).toThrow('its source and destination in the table swaps, or its token_hash or request_hash')
})

test('with another vault key no row is accepted', async () => {
  const { id } = await make()
  const known = await stored(id)
  expect(() => assertSealed(createVault('43'.repeat(32)), known)).toThrow('the vault key is another one')
})
