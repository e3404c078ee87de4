/** The engine decides again what the API asked it to sign: rows and chains may have changed meanwhile. */
import { TandemError } from '@tandem/protocol/error.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useSyncFixture } from '../solver-sync/sync-tasks.fixture.ts'
import { aliceScript, eventsOf } from '../testing/service.fixture.ts'
import type { RefundWish } from './refund-wish.ts'
import { signWishedRefunds } from './sign-wished-refunds.ts'

const fixture = useSyncFixture()

const wish = (changes: Partial<RefundWish> = {}): RefundWish => ({
  orderId: fixture.order.id,
  from: aliceScript,
  to: aliceScript,
  isTokenHolder: true,
  ...changes,
})
const sign = (changes?: Partial<RefundWish>) => signWishedRefunds(fixture.context, wish(changes))
const granted = async () =>
  (await fixture.find(fixture.order.id)).grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : []))

test('signs with the solver and stores it; once signed, nothing is signed again', async () => {
  await fixture.mine(fixture.deposit('exact', 1_000_000n))
  await sign()
  await sign()
  expect(fixture.refunded).toHaveLength(1)
  expect(await granted()).toMatchObject([{ deposit: 'exact', to: aliceScript }])
})

test('sets the address that the API let the caller choose, together with the refund', async () => {
  await fixture.mine(fixture.deposit('exact', 1_000_000n))
  await sign({ to: 'fake1homeaaaaaa' })
  expect((await fixture.find(fixture.order.id)).order.source.userAddress).toBe('fake1homeaaaaaa')
  expect(await granted()).toMatchObject([{ to: 'fake1homeaaaaaa' }])
})

test.each<[string, Partial<RefundWish>, string, RegExp]>([
  ['whose address has changed since', { from: null }, 'conflict', /was set by another call/],
  ['that may still complete, without its token', { isTokenHolder: false }, 'forbidden', /cancelling it needs the order_token/],
  ['that does not exist', { orderId: '00'.repeat(32) }, 'not_found', /there is no order/],
])('refuses an order %s', async (_, changes, code, message) => {
  await fixture.mine(fixture.deposit('exact', 1_000_000n))
  const error = await sign(changes).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TandemError)
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  expect(fixture.refunded).toEqual([])
  expect(await granted()).toEqual([])
})

test('refuses while the deposit pays for the order, and before there is one', async () => {
  await expect(sign()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/no deposit was seen/) })
  await fixture.mine(fixture.deposit('exact', 1_000_000n))
  const { destination } = fixture.order
  await fixture.service.mine(destination.chain, { height: fixture.height + 1n, time: 1_800_000_000n }, [
    eventsOf(destination).initiated('0xlock'),
  ])
  await expect(sign()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/the deposit pays for it/) })
  expect(fixture.refunded).toEqual([])
})

test('signs nothing to an address that somebody wrote into the row', async () => {
  await fixture.mine(fixture.deposit('exact', 1_000_000n))
  await sql`update swaps set user_address = 'fake1malloryaaa' where order_id = ${fixture.order.id} and leg = 'source'`.execute(
    fixture.service.db,
  )
  await expect(sign({ from: 'fake1malloryaaa', to: 'fake1malloryaaa' })).rejects.toThrow('is not as this service wrote it')
  expect(fixture.refunded).toEqual([])
})
