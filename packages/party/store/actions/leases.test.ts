/** Tests that a lease has one holder. */

import { setTimeout as sleep } from 'node:timers/promises'
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { followEngines, leaseEngine } from './engines.ts'
import { holdLease, releaseLeases, renewLeases, withLease, withLock } from './leases.ts'

const store = sharedStore()

describe('a lease', () => {
  beforeEach(() => store.db.deleteFrom('leases').execute())

  test('has one holder, which may renew it', async () => {
    expect(await holdLease(store.db, 'watch', 'one', 60)).toBe(true)
    expect(await holdLease(store.other, 'watch', 'two', 60)).toBe(false)
    const until = async () => (await store.db.selectFrom('leases').select('until').executeTakeFirstOrThrow()).until.getTime()
    const before = await until()
    expect(await holdLease(store.db, 'watch', 'one', 600)).toBe(true)
    expect(await until()).toBeGreaterThan(before)
    expect(await holdLease(store.db, 'another', 'two', 60)).toBe(true)
  })

  test('can be taken once it has expired, and its old holder cannot renew it', async () => {
    await holdLease(store.db, 'watch', 'one', 60)
    await sql`update leases set until = now() - interval '1 second'`.execute(store.db)
    expect(await holdLease(store.db, 'watch', 'two', 60)).toBe(true)
    expect(await holdLease(store.db, 'watch', 'one', 60)).toBe(false)
  })

  test('is given to one of several concurrent callers', async () => {
    const asked = Array.from({ length: 8 }, (_, index) => holdLease(index % 2 ? store.db : store.other, 'watch', `holder ${index}`, 60))
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
  })

  test('is renewed only for its holder, and only if named', async () => {
    for (const name of ['watch', 'another']) await holdLease(store.db, name, 'one', 1)
    await renewLeases(store.db, 'one', ['watch'], 60)
    await renewLeases(store.db, 'two', ['watch'], 600)
    const { rows } = await sql<{ name: string; minutes: number }>`
      select name, round(extract(epoch from until - now()) / 60)::int as minutes from leases order by name`.execute(store.db)
    expect(rows).toEqual([
      { name: 'another', minutes: 0 },
      { name: 'watch', minutes: 1 },
    ])
  })

  test('can only be released by its holder', async () => {
    await holdLease(store.db, 'watch', 'one', 60)
    await releaseLeases(store.db, 'two')
    expect(await holdLease(store.db, 'watch', 'two', 60)).toBe(false)
    await releaseLeases(store.db, 'one')
    expect(await holdLease(store.db, 'watch', 'two', 60)).toBe(true)
  })
})

test('an engine that reports in the form of another version counts as one that has not reported', async () => {
  await leaseEngine(store.db, 'known', 60, { waitMs: 7, chains: {} })
  await leaseEngine(store.db, 'other', 60, null)
  await sql`update leases set report = '{"wait": 7}' where holder = 'other'`.execute(store.db)
  const reports = await followEngines(store.db, 'api', 60)
  expect(reports).toHaveLength(2)
  expect(reports).toContainEqual({ waitMs: 7, chains: {} })
  expect(reports).toContain(null)
  await store.db.deleteFrom('leases').execute()
})

async function untilLockWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`.execute(store.db)
    if (rows.length > 0) return
  }
}

describe('work under a lease', () => {
  const leases = () => store.db.selectFrom('leases').select('name').where('name', '=', 'sign').execute()

  test('is given to one caller at a time, in this process and across processes, and leaves no lease behind', async () => {
    let [running, most] = [0, 0]
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await sleep(5)
      running -= 1
      return 'done'
    }
    const works = Array.from({ length: 20 }, (_, index) => withLease(index % 2 ? store.db : store.other, 'sign', 60_000, work))
    expect(new Set(await Promise.all(works))).toEqual(new Set(['done']))
    expect(most).toBe(1)
    expect(await leases()).toEqual([])
  })

  test('holds no connection, and is not lost while the work takes long', async () => {
    let end = (): void => undefined
    const works = Array.from({ length: 30 }, (_, index) =>
      withLease(store.db, `sign ${index}`, 0, () => new Promise<void>((resolve) => setTimeout(resolve, 300))),
    )
    const long = withLease(store.db, 'sign', 0, () => new Promise<void>((resolve) => (end = resolve)))
    await expect.poll(leases).toHaveLength(1)
    // The lease is longer than any renewal, so its earlier end shows the next renewal.
    await sql`update leases set until = now() + interval '1 day' where name = 'sign'`.execute(store.db)
    const renewed = sql`select from leases where name = 'sign' and until < now() + interval '1 hour'`
    await expect.poll(async () => (await renewed.execute(store.db)).rows.length).toBe(1)
    expect(await withLease(store.other, 'sign', 0, async () => 'taken')).toBeNull()
    end()
    await Promise.all([...works, long])
    expect(await withLease(store.other, 'sign', 0, async () => 'taken')).toBe('taken')
  })

  test('ends when the work fails', async () => {
    await expect(withLease(store.db, 'sign', 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await withLease(store.other, 'sign', 0, async () => 'next')).toBe('next')
  })
})

describe('a lock', () => {
  test('leaves connections for its holder when many callers wait', async () => {
    const many = Array.from({ length: 40 }, () => withLock(store.db, 'crowd', () => sql`select 1`.execute(store.db)))
    expect(await Promise.all(many)).toHaveLength(40)
  })

  test('admits one caller at a time, across pools', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await sql`select 1`.execute(store.db)
      inside -= 1
      return 'done'
    }
    const results = await Promise.all(Array.from({ length: 8 }, (_, index) => withLock(index % 2 ? store.db : store.other, 'name', work)))
    expect(results).toEqual(Array.from({ length: 8 }, () => 'done'))
    expect(most).toBe(1)
  })

  test('does not block callers with another name', async () => {
    expect(await withLock(store.db, 'one', () => withLock(store.other, 'two', async () => 'both'))).toBe('both')
  })

  test('is released when the work fails', async () => {
    await expect(
      withLock(store.db, 'name', async () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await withLock(store.other, 'name', async () => 'free')).toBe('free')
  })

  test('is released when its connection dies, and the work that lost it rejects', async () => {
    const { opened, open } = gate()
    const entered = gate()
    const holding = withLock(store.db, 'name', async () => {
      entered.open()
      await opened
      return 'as if nothing had happened'
    })
    const lost = expect(holding).rejects.toThrow()
    await entered.opened
    const next = withLock(store.other, 'name', async () => 'mine now')
    await untilLockWaits()
    // Other tests share the server, so only connections of this database are closed.
    await sql`select pg_terminate_backend(pid, 10000) from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and granted`.execute(store.db)
    expect(await next).toBe('mine now')
    open()
    await lost
  })

  test('is kept by a holder that is busy for long, and what it writes on the connection is written', async () => {
    await withLock(store.db, 'name', async (connection) => {
      await sql`select pg_sleep(5)`.execute(store.other)
      await holdLease(connection, 'written under the lock', 'me', 60)
    })
    expect(await holdLease(store.other, 'written under the lock', 'another', 60)).toBe(false)
  })

  test('is released when its holder is silent, as a paused process is, and the holder can write nothing any more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const { opened, open } = gate()
    const entered = gate()
    let writing: unknown
    const holding = withLock(store.db, 'name', async (connection) => {
      entered.open()
      await opened
      writing = await holdLease(connection, 'written too late', 'me', 60).catch((error: unknown) => error)
    })
    const lost = expect(holding).rejects.toThrow()
    await entered.opened
    expect(await withLock(store.other, 'name', async () => 'mine now')).toBe('mine now')
    open()
    await lost
    expect(writing).toBeInstanceOf(Error)
    vi.useRealTimers()
  })
})
