// Tests interleavings of actions that share a key: nonces are taken once and recorded without gaps, and nothing unrecorded is broadcast.
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type LeasedAction, leaseActions, syncWanted } from '../store/actions/actions.ts'
import type { Database } from '../store/database/database.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder, withResults } from '../store/store.fixture.ts'
import { type KeyHold, type KeyUse, readOthers, useKey } from './key-hold.ts'

const chain = 'ethereum_localnet'
const store = sharedStore()
let leased: readonly LeasedAction[]
beforeEach(async () => {
  for (const table of ['attempts', 'actions'] as const) await store.db.deleteFrom(table).execute()
  const ids = (await Promise.all(Array.from({ length: 5 }, () => putOrder(store.db)))).map(({ order }) => order.id)
  await syncWanted(
    store.db,
    ids,
    ids.map((orderId) => ({ orderId, leg: 'destination', verb: 'initiate' })),
  )
  leased = await leaseActions(store.db, 'engine', 60, { limit: 10 })
})

const range = { since: 0n, fromNonce: 0n }
const useOf = (index: number, more: Partial<KeyUse> = {}): KeyUse => {
  const action = leased[index]
  if (action === undefined) throw new Error('not leased')
  return { chain, sender: 'me', actions: [action], holdsSecret: false, ...more }
}
const attemptAt = (tx: string, nonce: bigint) => ({ tx, raw: `raw ${tx}`, slots: [], nonce, feeRate: 1n, at: NOW })

/** Takes the lowest nonce above all others, and records it. `signing` runs after the others were read. Resolves to the nonce. */
function take(
  index: number,
  signing: () => unknown = () => undefined,
  { db = store.db, use = useOf(index), lowest = 0n } = {},
): Promise<bigint> {
  return useKey(db, use, async (hold) => {
    const others = await hold.readOthers(range)
    await signing()
    const nonce = others.reduce((next, other) => ((other.nonce ?? 0n) >= next ? (other.nonce ?? 0n) + 1n : next), lowest)
    await hold.record(attemptAt(lowest === 0n ? `${index}` : `${index} again at ${nonce}`, nonce))
    return nonce
  })
}
const recorded = async () =>
  (await store.db.selectFrom('attempts').select(['tx', 'nonce']).orderBy('nonce').execute()).map(({ tx, nonce }) => [tx, nonce])
const lose = (index: number) =>
  sql`update actions set fence = fence + 1 where key = ${useOf(index).actions[0]?.key ?? ''}`.execute(store.other)
const kinds = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as { kind?: string }).kind))

function counting(): { readonly db: Database; readonly counts: Record<'lock' | 'record', number> } {
  const counts = { lock: 0, record: 0 }
  const db = withResults(store.db, ([row]) => {
    if (row !== undefined && 'pg_advisory_lock' in row) counts.lock += 1
    if (row !== undefined && 'durable' in row) counts.record += 1
  })
  return { db, counts }
}

describe('actions that wait for a key', () => {
  test('share one hold and one record, and each counts what the others signed', async () => {
    const { db, counts } = counting()
    expect(await Promise.all([0, 1, 2, 3, 4].map((index) => take(index, undefined, { db })))).toEqual([0n, 1n, 2n, 3n, 4n])
    expect(await recorded()).toEqual([0n, 1n, 2n, 3n, 4n].map((nonce) => [`${nonce}`, nonce]))
    expect(counts).toEqual({ lock: 1, record: 1 })
  })

  test('sign one at a time, across processes', async () => {
    let inside = 0
    const signing = async () => {
      inside += 1
      expect(inside).toBe(1)
      await sql`select 1`.execute(store.db)
      inside -= 1
    }
    const nonces = await Promise.all([0, 1, 2, 3].map((index) => take(index, signing, { db: index % 2 === 0 ? store.db : store.other })))
    expect(nonces.toSorted()).toEqual([0n, 1n, 2n, 3n])
    expect((await recorded()).map(([, nonce]) => nonce)).toEqual([0n, 1n, 2n, 3n])
  })

  test('do not wait for the key of another chain or signer', async () => {
    const { opened, open } = gate()
    const held = take(0, () => opened)
    expect(await take(1, undefined, { use: useOf(1, { sender: 'you' }) })).toBe(0n)
    expect(await take(2, undefined, { use: useOf(2, { chain: 'bitcoin_regtest' }) })).toBe(0n)
    open()
    expect(await held).toBe(0n)
  })

  test('leave it to another process after a while', async () => {
    let isOver = false
    const stream = async (index: number) => {
      for (let lowest = 0n; !isOver; ) lowest = (await take(index, () => sql`select pg_sleep(0.02)`.execute(store.db), { lowest })) + 1n
    }
    const running = [stream(0), stream(1), stream(2)]
    await take(3)
    expect(await take(4, undefined, { db: store.other })).toBeGreaterThan(0n)
    isOver = true
    await Promise.all(running)
    const nonces = (await recorded()).map(([, nonce]) => nonce)
    expect(nonces).toEqual(nonces.map((_, index) => BigInt(index)))
  })
})

describe('an attempt whose lease is lost', () => {
  // The hold does not end by its time, however slow the machine is.
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(performance.now()))
  afterEach(() => void vi.restoreAllMocks())

  test.each([
    { lost: 0, results: ['superseded', 0n, 1n, 2n] },
    { lost: 1, results: [0n, 'superseded', 1n, 2n] },
    { lost: 3, results: [0n, 1n, 2n, 'superseded'] },
  ])('fails alone: those behind it sign again, without a gap ($lost of 4)', async ({ lost, results }) => {
    const signings: number[] = []
    const uses = [0, 1, 2, 3].map((index) =>
      take(index, async () => {
        signings.push(index)
        if (index === lost) await lose(lost)
      }),
    )
    expect(kinds(await Promise.allSettled(uses)).toSorted()).toEqual(results.toSorted())
    expect((await recorded()).map(([, nonce]) => nonce)).toEqual([0n, 1n, 2n])
    expect((await recorded()).map(([tx]) => tx)).not.toContain(`${lost}`)
    expect(signings.toSorted()).toEqual([0, 1, 2, 3, ...[0, 1, 2, 3].filter((index) => index > lost)].toSorted())
  })

  test('makes one sign again that was still signing when the loss was noticed', async () => {
    const { opened, open } = gate()
    const seen: number[] = []
    const first = take(0, () => lose(0))
    const second = useKey(store.db, useOf(1), async (hold) => {
      const others = await hold.readOthers(range)
      seen.push(others.length)
      if (seen.length === 1) await opened
      await hold.record(attemptAt('1', BigInt(others.length)))
    })
    await expect(first).rejects.toMatchObject({ kind: 'superseded' })
    open()
    await second
    expect(seen).toEqual([1, 0])
    expect(await recorded()).toEqual([['1', 0n]])
  })

  test('is not recorded for any action of its batch', async () => {
    const batch = useOf(0, { actions: leased.slice(0, 2) })
    const results = [take(0, () => lose(1), { use: batch }), take(2)]
    expect(kinds(await Promise.allSettled(results))).toEqual(['superseded', 0n])
    expect(await recorded()).toEqual([['2', 0n]])
  })

  test('does not mark its secret as signed, and the others do', async () => {
    const secret = { holdsSecret: true }
    const results = [0, 1].map((index) => take(index, index === 1 ? () => lose(1) : undefined, { use: useOf(index, secret) }))
    expect(kinds(await Promise.allSettled(results))).toEqual([0n, 'superseded'])
    const signed = await Promise.all([0, 1].map(async (index) => (await findOrder(store.db, leased[index]?.orderId ?? ''))?.secretSigned))
    expect(signed).toEqual([true, false])
  })
})

describe('a record that fails', () => {
  const refuse = async (isRefused: boolean) => {
    await sql`drop trigger if exists refused on attempts`.execute(store.other)
    await sql`create or replace function refused() returns trigger language plpgsql as $$ begin raise 'no disk'; end $$`.execute(
      store.other,
    )
    if (isRefused)
      await sql`create trigger refused before insert on attempts for each row when (new.tx = '1') execute function refused()`.execute(
        store.other,
      )
  }

  test('records none of its attempts, and the next hold starts at the same nonce', async () => {
    await refuse(true)
    const results = await Promise.allSettled([take(0), take(1), take(2)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await recorded()).toEqual([])
    await refuse(false)
    expect(await Promise.all([take(0), take(1)])).toEqual([0n, 1n])
  })

  test.each(['before', 'after'])('by a lost connection, %s another has signed: nothing counts as recorded', async (when) => {
    const kill = () =>
      sql`select pg_terminate_backend(pid, 10000) from pg_locks where locktype = 'advisory' and database = (
        select oid from pg_database where datname = current_database())`.execute(store.other)
    const results = await Promise.allSettled([take(0, when === 'before' ? kill : undefined), take(1, when === 'after' ? kill : undefined)])
    expect(results[when === 'before' ? 0 : 1]?.status).toBe('rejected')
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect((await recorded()).map(([, nonce]) => nonce)).toEqual(done)
    expect(await take(2)).toBe(BigInt(done.length))
  })
})

test('a use that never ends fails after a minute, and leaves the key to the others', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const { opened, open } = gate()
    const [isSigning, started] = [gate(), gate()]
    const hanging = take(0, () => {
      started.open()
      return opened.finally(isSigning.open)
    })
    const failed = expect(hanging).rejects.toMatchObject({ kind: 'unreachable' })
    await started.opened
    const next = take(1)
    await vi.advanceTimersByTimeAsync(61_000)
    await failed
    expect(await next).toBe(0n)
    open()
    await isSigning.opened
    await sql`select 1`.execute(store.db)
    expect(await recorded()).toEqual([['1', 0n]])
  } finally {
    vi.useRealTimers()
  }
})

test('many keys at once leave connections for the work under them', async () => {
  const reading = () => sql`select 1`.execute(store.db)
  const takes = Array.from({ length: 40 }, (_, index) => take(0, reading, { use: useOf(0, { sender: `key ${index}` }) }))
  expect(await Promise.all(takes)).toEqual(takes.map(() => 0n))
})

test('a use that finds an attempt of another runs again if that is not recorded', async () => {
  const found: number[] = []
  const first = take(0, () => lose(0))
  const second = useKey(store.db, useOf(1), async (hold) => {
    const others = await hold.readOthers(range)
    found.push(others.length)
    return others.map(({ tx }) => tx)
  })
  await expect(first).rejects.toMatchObject({ kind: 'superseded' })
  expect(await second).toEqual([])
  expect(found).toEqual([1, 0])
})

describe('a use of the key', () => {
  test('that fails before it records takes no nonce, and fails alone', async () => {
    const failing = take(1, () => {
      throw new Error('no funds')
    })
    const [first, second, third] = await Promise.allSettled([take(0), failing, take(2)])
    expect([first, third]).toMatchObject([{ value: 0n }, { value: 1n }])
    expect(second).toMatchObject({ reason: { message: 'no funds' } })
  })

  test('that signs slowly does not hold up the record of another', async () => {
    const { opened, open } = gate()
    const slow = [take(0), take(1, () => opened)]
    expect(await slow[0]).toBe(0n)
    expect(await recorded()).toEqual([['0', 0n]])
    open()
    expect(await slow[1]).toBe(1n)
  })

  test('ends with the record', async () => {
    let kept: KeyHold | null = null
    await useKey(store.db, useOf(0), async (hold) => {
      kept = hold
      await hold.record(attemptAt('0', 0n))
      await expect(hold.readOthers(range)).rejects.toThrow('the key is not held any more')
    })
    const late = kept as KeyHold | null
    await expect(late?.record(attemptAt('late', 1n))).rejects.toThrow('the key is not held any more')
    expect(await recorded()).toEqual([['0', 0n]])
  })

  test('reads the others once for all, and again where it needs more of them', async () => {
    await take(0)
    await take(1)
    const from = (fromNonce: bigint | null) => (hold: KeyHold) => hold.readOthers({ since: 0n, fromNonce })
    const txs = await Promise.all(
      [from(1n), from(0n), from(null)].map((read) => useKey(store.db, useOf(2), async (hold) => (await read(hold)).map(({ tx }) => tx))),
    )
    expect(txs).toEqual([['1'], ['0', '1'], ['0', '1']])
    expect((await readOthers(store.db, useOf(0), range)).map(({ tx }) => tx)).toEqual(['1'])
  })
})
