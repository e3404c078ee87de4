/** Tests how engines share the orders, and take over from one that ended. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { followEngines } from '../store/actions/engines.ts'
import { releaseLeases } from '../store/actions/leases.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { ALL_SHARDS } from './reconciler.ts'
import { createShards } from './shards.ts'
import { LEASE_RENEWAL_MS, LEASE_SECONDS } from './times.ts'

const store = sharedStore()
let nowMs: number
beforeEach(async () => {
  await store.db.deleteFrom('leases').execute()
  nowMs = 0
})

const engine = (name: string) =>
  createShards(
    store.db,
    name,
    () => ({ waitMs: 7, chains: {} }),
    () => nowMs,
  )
const later = () => {
  nowMs += LEASE_RENEWAL_MS
}
const die = (name: string) => sql`update leases set until = now() - interval '1 second' where holder = ${name}`.execute(store.db)

test('one engine has all shards', async () => {
  expect(await engine('a').own()).toEqual(ALL_SHARDS)
})

test.each([2, 3, 5])('%i engines share all shards fairly, each by one', async (count) => {
  const engines = Array.from({ length: count }, (_, n) => engine(`engine ${n}`))
  for (const one of engines) await one.own()
  later()
  const shares = await Promise.all(engines.map((one) => one.own()))
  expect(shares.flat().toSorted((a, b) => a - b)).toEqual(ALL_SHARDS)
  for (const share of shares) expect(share.length).toBeGreaterThanOrEqual(Math.floor(ALL_SHARDS.length / count))
})

test('an engine knows whether it is alone, and does not assume it before the first renewal', async () => {
  const [first, second] = [engine('a'), engine('b')]
  expect(first.isAlone()).toBe(false)
  await first.own()
  expect(first.isAlone()).toBe(true)
  await second.own()
  later()
  await first.own()
  expect([first.isAlone(), second.isAlone()]).toEqual([false, false])
})

test('the shards of a dead engine go to the others when its lease ends, within five seconds', async () => {
  const [first, second] = [engine('a'), engine('b')]
  await first.own()
  await second.own()
  later()
  expect(await second.own()).toHaveLength(ALL_SHARDS.length / 2)
  await die('a')
  later()
  expect(await second.own()).toEqual(ALL_SHARDS)
  expect(LEASE_SECONDS + LEASE_RENEWAL_MS / 1000).toBeLessThanOrEqual(5)
})

test('the shards of an engine that stops go to the others at once', async () => {
  const [first, second] = [engine('a'), engine('b')]
  await first.own()
  await second.own()
  await releaseLeases(store.db, 'a')
  later()
  expect(await second.own()).toEqual(ALL_SHARDS)
})

test('asks the database once a second', async () => {
  const [first, second] = [engine('a'), engine('b')]
  await first.own()
  await second.own()
  expect(await first.own()).toEqual(ALL_SHARDS)
  later()
  expect(await first.own()).toHaveLength(ALL_SHARDS.length / 2)
})

test('an engine reports while a process follows it, and only then', async () => {
  const first = engine('a')
  await first.own()
  expect(first.isFollowed()).toBe(false)
  expect(await followEngines(store.db, 'api', LEASE_SECONDS)).toEqual([null])
  later()
  await first.own()
  expect(first.isFollowed()).toBe(true)
  later()
  await first.own()
  expect(await followEngines(store.db, 'api', LEASE_SECONDS)).toEqual([{ waitMs: 7, chains: {} }])
  expect([first.isAlone(), await first.own()]).toEqual([true, ALL_SHARDS])
  await die('api')
  later()
  await first.own()
  expect(first.isFollowed()).toBe(false)
  await die('a')
  expect(await followEngines(store.db, 'api', LEASE_SECONDS)).toEqual([])
})
