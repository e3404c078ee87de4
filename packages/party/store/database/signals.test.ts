/** Tests the signals between processes that share a database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { statementsOf } from '../statements.fixture.ts'
import { openSignals, type Signals } from './signals.ts'

const store = sharedStore()
const opened: Signals[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((signals) => signals.close()))
})

async function listeners(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database() and query like 'listen%'`.execute(store.db)
  return rows.length
}

/** Each of the two acts as a separate process. */
async function openTwo(restMs?: number) {
  const heard: [string[], string[]] = [[], []]
  const both = [
    openSignals(store.db, (signal) => heard[0].push(signal), restMs),
    openSignals(store.other, (signal) => heard[1].push(signal)),
  ] as const
  opened.push(...both)
  await vi.waitFor(async () => expect(await listeners()).toBe(2), { timeout: 60_000 })
  return { one: both[0], other: both[1], heard }
}

test('reach the other processes, each once, and not the sender', async () => {
  const { one, other, heard } = await openTwo()
  for (let times = 0; times < 100; times++) {
    one.send('chain a')
    one.send('orders')
  }
  await vi.waitFor(() => expect(heard[1].toSorted()).toEqual(['chain a', 'orders']), { timeout: 60_000 })
  other.send('back')
  await vi.waitFor(() => expect(heard[0]).toEqual(['back']), { timeout: 60_000 })
  expect(heard[1]).toHaveLength(2)
})

test('wait for others after a statement, so that a busy process sends few', async () => {
  const { one, heard } = await openTwo(3_600_000)
  const sent = await statementsOf(async () => {
    one.send('chain a')
    await vi.waitFor(() => expect(heard[1]).toEqual(['chain a']), { timeout: 60_000 })
    one.send('chain b')
    await sleep(50)
  })
  expect(sent.filter((text) => text.includes('pg_notify'))).toHaveLength(1)
})

test('go one query at a time: the driver must not queue them', async () => {
  const { one, heard } = await openTwo()
  let [inFlight, most] = [0, 0]
  const original = pg.Client.prototype.query
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (this: pg.Client, ...args: unknown[]) {
    inFlight += 1
    most = Math.max(most, inFlight)
    // Signals are collected for less time than this.
    await sleep(50)
    const result: unknown = await Reflect.apply(original, this, args)
    inFlight -= 1
    return result
  } as typeof original)
  const signals = Array.from({ length: 10 }, (_, index) => `chain ${index}`)
  for (const signal of signals) {
    one.send(signal)
    await sleep(15)
  }
  await vi.waitFor(() => expect(heard[1]).toEqual(signals), { timeout: 60_000 })
  spy.mockRestore()
  expect(most).toBe(1)
})

test('are heard again after the connection broke', async () => {
  const { one, heard } = await openTwo()
  const { opened: mayConnect, open } = gate()
  const connect = pg.Client.prototype.connect
  // The pool connects with a callback, and may go on.
  const spy = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(async function (this: pg.Client, ...args: unknown[]) {
    if (args.length === 0) await mayConnect
    return Reflect.apply(connect, this, args)
  } as typeof connect)
  await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and query like 'listen%'`.execute(store.db)
  expect(await listeners()).toBe(0)
  one.send('lost')
  await sleep(200)
  open()
  spy.mockRestore()
  await vi.waitFor(async () => expect(await listeners()).toBe(2), { timeout: 60_000 })
  await vi.waitFor(
    () => {
      one.send('heard')
      expect(heard[1]).toContain('heard')
    },
    { timeout: 60_000 },
  )
  expect(heard[1]).not.toContain('lost')
})

test('leave no connection behind when they are closed', async () => {
  const { one, other } = await openTwo()
  await Promise.all([one.close(), other.close()])
  one.send('nobody hears it')
  await vi.waitFor(async () => expect(await listeners()).toBe(0), { timeout: 60_000 })
})
