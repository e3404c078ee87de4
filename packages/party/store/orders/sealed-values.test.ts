/** Tests that sealed values open only with their key, for their order. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { SealedPurpose } from '../database/schema.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { statementsOf } from '../statements.fixture.ts'
import { putOrder, storedOrder, VAULT_KEY } from '../store.fixture.ts'
import { createSealer, createVault, deriveSealingKeys } from './sealed-values.ts'
import { assertSealed } from './swap-seals.ts'

const SECRET = '5e'.repeat(32)
const vault = createVault('42'.repeat(32))
const store = sharedStore()

async function sealedOrder(): Promise<string> {
  const { order } = await putOrder(store.db)
  await vault.put(store.db, order.id, 'secret', SECRET)
  return order.id
}

const sealedOf = async (orderId: string) =>
  (await store.db.selectFrom('sealed_values').select('sealed').where('order_id', '=', orderId).executeTakeFirstOrThrow()).sealed

describe('a sealed value', () => {
  test('can be read; a missing one is null', async () => {
    const id = await sealedOrder()
    expect(await vault.get(store.db, id, 'secret')).toBe(SECRET)
    expect(await createVault('42'.repeat(32)).get(store.db, id, 'secret')).toBe(SECRET)
    expect(await vault.get(store.db, id, 'source-key')).toBeNull()
    expect(await vault.get(store.db, 'unknown', 'secret')).toBeNull()
  })

  test('is read together with others, each its own', async () => {
    const ids = [await sealedOrder(), await sealedOrder(), await sealedOrder()]
    await vault.put(store.db, ids[1] ?? '', 'source-key', '11'.repeat(32))
    const read = await Promise.all([
      ...ids.map((id) => vault.get(store.db, id, 'secret')),
      vault.get(store.db, ids[1] ?? '', 'source-key'),
      vault.get(store.db, ids[2] ?? '', 'source-key'),
    ])
    expect(read).toEqual([SECRET, SECRET, SECRET, '11'.repeat(32), null])
  })

  test('that is remembered after it was stored is not read again', async () => {
    const own = createVault('42'.repeat(32))
    const { order } = await putOrder(store.db)
    own.remember(order.id, [own.seal(order.id, 'secret', SECRET)])
    const read: (string | null)[] = []
    const statements = await statementsOf(async () => read.push(await own.get(store.db, order.id, 'secret')))
    expect({ read, statements }).toEqual({ read: [SECRET], statements: [] })
    expect(await own.get(store.db, order.id, 'source-key')).toBeNull()
    for (let other = 0; other < 1000; other += 1) own.remember(`other ${other}`, [own.seal(`other ${other}`, 'secret', SECRET)])
    expect(await own.get(store.db, order.id, 'secret')).toBeNull()
  })

  test('cannot be overwritten', async () => {
    const id = await sealedOrder()
    await expect(vault.put(store.db, id, 'secret', SECRET)).rejects.toThrow('sealed_values_pkey')
  })

  test('does not open with another key', async () => {
    const id = await sealedOrder()
    await expect(createVault('43'.repeat(32)).get(store.db, id, 'secret')).rejects.toThrow()
  })

  test.each<{ name: string; elsewhere: (id: string) => Promise<{ orderId: string; purpose: SealedPurpose }> }>([
    { name: 'order', elsewhere: async () => ({ orderId: (await putOrder(store.db)).order.id, purpose: 'secret' }) },
    { name: 'purpose', elsewhere: async (orderId) => ({ orderId, purpose: 'destination-key' }) },
  ])('does not open after it was moved to another $name', async ({ elsewhere }) => {
    const id = await sealedOrder()
    const { orderId, purpose } = await elsewhere(id)
    await store.db
      .insertInto('sealed_values')
      .values({ order_id: orderId, purpose, sealed: await sealedOf(id) })
      .execute()
    await expect(vault.get(store.db, orderId, purpose)).rejects.toThrow()
  })

  test('does not open after it was swapped with that of another order, or changed', async () => {
    const [one, other] = [await sealedOrder(), await sealedOrder()]
    const [ofOne, ofOther] = [await sealedOf(one), await sealedOf(other)]
    const replace = (id: string, sealed: Buffer) =>
      store.db.updateTable('sealed_values').set({ sealed }).where('order_id', '=', id).execute()
    await replace(one, ofOther)
    await replace(other, ofOne)
    for (const id of [one, other]) await expect(vault.get(store.db, id, 'secret')).rejects.toThrow('it is of another order or purpose')
    await replace(one, ofOne)
    expect(await vault.get(store.db, one, 'secret')).toBe(SECRET)
    await replace(one, Buffer.alloc(12 + SECRET.length + 16))
    await expect(vault.get(store.db, one, 'secret')).rejects.toThrow('has a form that this version does not read')
  })

  test('is encrypted, each time otherwise', async () => {
    const [one, two] = [await sealedOf(await sealedOrder()), await sealedOf(await sealedOrder())]
    expect(one.includes(SECRET)).toBe(false)
    expect(one.includes(Buffer.from(SECRET, 'hex'))).toBe(false)
    expect(one.subarray(34)).not.toEqual(two.subarray(34))
  })
})

describe('a sealer', () => {
  const sealer = createSealer(deriveSealingKeys(VAULT_KEY))

  test('has no way to open, seals what the vault opens, and authenticates as the vault does', async () => {
    expect(Object.keys(sealer).sort()).toEqual(['authenticate', 'publicKey', 'put', 'remember', 'seal'])
    const { order } = await putOrder(store.db)
    await sealer.put(store.db, order.id, 'source-key', SECRET)
    expect(await vault.get(store.db, order.id, 'source-key')).toBe(SECRET)
    expect(sealer.authenticate('text')).toBe(vault.authenticate('text'))
    expect(sealer.publicKey).toBe(vault.publicKey)
  })

  test('gets keys from which the vault key does not follow', () => {
    const { publicKey, sealKey } = deriveSealingKeys(VAULT_KEY)
    expect(new Set([publicKey, sealKey, VAULT_KEY]).size).toBe(3)
    expect(deriveSealingKeys('43'.repeat(32))).not.toMatchObject({ publicKey })
  })

  test.each(['', '42', `${'42'.repeat(31)}4g`])('refuses the key "%s" without quoting it', (key) => {
    const keys = deriveSealingKeys(VAULT_KEY)
    expect(() => createSealer({ ...keys, publicKey: key })).toThrow(/^the public key for sealing must be 32 bytes as hex$/)
    expect(() => createSealer({ ...keys, sealKey: key })).toThrow(/^the seal key must be 32 bytes as hex$/)
  })
})

test.each(['', '42', '42'.repeat(31), `${'42'.repeat(31)}4g`, '42'.repeat(33)])('refuses the vault key "%s" without quoting it', (key) => {
  expect(() => createVault(key)).toThrow(/^the vault key must be 32 bytes as hex$/)
})

describe('swap seals', () => {
  const vault = createVault(VAULT_KEY)

  const make = async () =>
    (
      await putOrder(store.db, {
        tokenHash: 'hash of the token',
        source: { userAddress: 'home', orderKey: 'key', payer: 'payer' },
        destination: { userAddress: 'home', orderKey: 'key', maxFee: 5n, gas: 7n },
      })
    ).order
  const stored = (id: string) => storedOrder(store.db, id)

  /** These columns decide where the money of an order goes, and are not on a chain. */
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
    ['deposit_address', 'thief'],
    ['agreed_amount', '1'],
    ['max_fee', '99999'],
    ['gas', '99999'],
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
})
