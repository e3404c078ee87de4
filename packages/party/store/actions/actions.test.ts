/** Tests how wanted actions, leases and attempts are stored. */
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import { actionKey, type Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rewind } from '../chain/events.ts'
import { findOrder } from '../orders/orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { NOW, putOrder, recordAttempt, withResults } from '../store.fixture.ts'
import { type LeasedAction, leaseAction, leaseActions, makeAttemptDue, readAction, syncWanted, type WantedAction } from './actions.ts'
import { readAttempts, readSenderAttempts } from './attempts.ts'
import { finishAction } from './finish-action.ts'
import { renewActions } from './leases.ts'

const store = sharedStore()
let orderId: string
beforeAll(async () => {
  orderId = (await putOrder(store.db)).order.id
})
beforeEach(async () => {
  for (const table of ['attempts', 'actions'] as const) await store.db.deleteFrom(table).execute()
})

const SECONDS = 60
const action = (leg: Leg, verb: HtlcVerb, of = orderId): WantedAction => ({ orderId: of, leg, verb })
const want = (...wanted: WantedAction[]) => syncWanted(store.db, [orderId], wanted)
const rows = () => store.db.selectFrom('actions').selectAll().orderBy('key').execute()
const everything = (): readonly WantedAction[] =>
  (['source', 'destination'] as const).flatMap((leg) => (['initiate', 'redeem', 'refund'] as const).map((verb) => action(leg, verb)))

async function lease(holder = 'holder', seconds = SECONDS): Promise<LeasedAction> {
  const leased = await leaseAction(store.db, holder, seconds)
  if (leased === null) throw new Error('nothing to lease')
  return leased
}

/** Simulates a holder that did not renew its lease in time. */
const expireLeases = () => sql`update actions set lease_until = now() - interval '1 second' where lease_until is not null`.execute(store.db)
const makeDue = () => sql`update actions set due_at = now()`.execute(store.db)
const attempt = (tx: string, at: Partial<Parameters<typeof recordAttempt>[2]> = {}) => ({
  tx,
  raw: `raw ${tx}`,
  slots: ['nonce 1', 'nonce 2'],
  feeRate: 10n ** 30n,
  at: NOW,
  chain: 'ethereum_localnet',
  sender: 'me',
  holdsSecret: false,
  ...at,
})

describe('syncWanted', () => {
  test('is idempotent', async () => {
    expect(await want(action('source', 'redeem'))).toBe(true)
    const before = await rows()
    expect(await want(action('source', 'redeem'))).toBe(false)
    expect(await rows()).toEqual(before)
    expect(before).toMatchObject([{ key: `${orderId}/source/redeem`, order_id: orderId, leg: 'source', verb: 'redeem', wanted: true }])
  })

  test('changes only actions that differ, and only of these orders', async () => {
    const { order: other } = await putOrder(store.db)
    await syncWanted(store.db, [other.id], [action('source', 'refund', other.id)])
    await want(action('source', 'redeem'), action('destination', 'refund'))
    expect(await want(action('destination', 'refund'))).toBe(false)
    const wantedNow = (await rows()).filter((row) => row.wanted).map((row) => row.key)
    expect(wantedNow.sort()).toEqual([`${orderId}/destination/refund`, `${other.id}/source/refund`].sort())
    expect(await readAction(store.db, actionKey(orderId, 'source', 'redeem'))).toMatchObject({ wanted: false })
    expect(await syncWanted(store.db, [], [action('source', 'initiate')])).toBe(false)
  })

  test('an action that is wanted again starts without failures, and keeps its attempts', async () => {
    await want(action('source', 'redeem'))
    const leased = await lease()
    await recordAttempt(store.db, [leased], attempt('a'))
    await finishAction(store.db, leased, { kind: 'failed', error: 'no', againInMs: 3_600_000 })
    await want()
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
    expect(await want(action('source', 'redeem'))).toBe(true)
    expect(await lease()).toMatchObject({ key: leased.key, failures: 0 })
    expect(await readAttempts(store.db, leased.key)).toHaveLength(1)
  })

  test('an action that is still wanted does not become due earlier', async () => {
    await want(action('source', 'redeem'))
    await finishAction(store.db, await lease(), { kind: 'sent', tx: 'tx', againInMs: 3_600_000 })
    await want(action('source', 'redeem'))
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
  })
})

describe('a lease', () => {
  test('concurrent leases are of different actions, and none is given twice', async () => {
    await want(...everything())
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, index) => leaseAction(index % 2 === 0 ? store.db : store.other, `holder ${index}`, SECONDS)),
    )
    const keys = taken.flatMap((leased) => (leased === null ? [] : [leased.key]))
    expect(new Set(keys).size).toBe(keys.length)
    const rest: string[] = []
    for (let more = await leaseAction(store.db, 'last', SECONDS); more !== null; more = await leaseAction(store.db, 'last', SECONDS))
      rest.push(more.key)
    expect([...keys, ...rest].sort()).toEqual(
      everything()
        .map((a) => actionKey(a.orderId, a.leg, a.verb))
        .sort(),
    )
  })

  test('of several actions at once has no more than asked for, redeems first', async () => {
    await want(...everything())
    const leased = await leaseActions(store.db, 'holder', SECONDS, { limit: 2 })
    expect(leased.map(({ verb }) => verb)).toEqual(['redeem', 'redeem'])
    const rest = await leaseActions(store.db, 'holder', SECONDS, { limit: 100 })
    expect([...leased, ...rest].map(({ key }) => key).toSorted()).toEqual(
      everything()
        .map((a) => actionKey(a.orderId, a.leg, a.verb))
        .toSorted(),
    )
    expect(await leaseActions(store.db, 'holder', SECONDS, { limit: 100 })).toEqual([])
  })

  test('of an action with a verb of another version is left to that version, and the others are leased', async () => {
    await want(action('source', 'redeem'), action('destination', 'refund'))
    await sql`update actions set verb = 'merge' where leg = 'destination'`.execute(store.db)
    const leased = await leaseActions(store.db, 'holder', SECONDS, { limit: 100 })
    expect(leased.map(({ key }) => key)).toEqual([actionKey(orderId, 'source', 'redeem')])
  })

  test('skips an action that another transaction is leasing', async () => {
    await want(action('source', 'redeem'), action('destination', 'refund'))
    await store.other.transaction().execute(async (tx) => {
      const first = await leaseAction(tx, 'slow', SECONDS)
      const [second, third] = await store.db.transaction().execute(async (quick) => {
        await sql`set local lock_timeout = '5s'`.execute(quick)
        return [await leaseAction(quick, 'quick', SECONDS), await leaseAction(quick, 'late', SECONDS)]
      })
      expect(new Set([first?.key, second?.key]).size).toBe(2)
      expect(second).not.toBeNull()
      expect(third).toBeNull()
    })
  })

  test('is given for wanted and due actions: redeems first, then the most overdue', async () => {
    await want(action('source', 'redeem'), action('source', 'refund'), action('destination', 'refund'), action('destination', 'redeem'))
    const due = (leg: Leg, verb: HtlcVerb, seconds: number) =>
      sql`update actions set due_at = now() + make_interval(secs => ${seconds}) where key = ${actionKey(orderId, leg, verb)}`.execute(
        store.db,
      )
    await due('source', 'redeem', -10)
    await due('source', 'refund', -20)
    await due('destination', 'refund', -30)
    await due('destination', 'redeem', 3600)
    expect(await lease()).toMatchObject({ leg: 'source', verb: 'redeem' })
    expect(await lease()).toMatchObject({ leg: 'destination', verb: 'refund' })
    expect(await lease()).toMatchObject({ leg: 'source', verb: 'refund' })
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
  })

  test.each(['redeem', 'refund'] as const)('leaves a %s to another holder until it is as late as asked for', async (verb) => {
    await want(action('source', verb))
    await sql`update actions set due_at = now() - interval '5 minutes'`.execute(store.db)
    expect(await leaseActions(store.db, 'holder', SECONDS, { limit: 2, lateMs: 600_000 })).toEqual([])
    expect(await leaseActions(store.db, 'holder', SECONDS, { limit: 2, lateMs: 60_000 })).toHaveLength(1)
  })

  describe('with very many due actions of one chain', () => {
    const many = sql`(select 'many ' || n as id from generate_series(1, 3000) as n) as ids`
    /** These are more overdue than all others, and each has another recipient, so none can share a transaction. */
    beforeEach(async () => {
      await sql`insert into orders (id, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, price_expires_at)
        select id, 'solver', id, '', '', id, 0, 0 from ${many}`.execute(store.db)
      await sql`insert into swaps (
          order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, required_confirmations)
        select id, leg, 'litecoin_regtest', 'ltc', id || leg, '', id, 1, 1, id, 1, 1
        from ${many}, unnest(array['source', 'destination']) as leg`.execute(store.db)
      await sql`insert into actions (key, order_id, leg, verb, wanted, due_at)
        select id || '/' || verb, id, 'destination', verb, true, now() - interval '1 hour'
        from ${many}, unnest(array['redeem', 'refund']) as verb`.execute(store.db)
      await sql`analyze actions, swaps, orders`.execute(store.db)
    })
    afterEach(async () => {
      await store.db.deleteFrom('actions').execute()
      await store.db.deleteFrom('swaps').where('order_id', 'like', 'many %').execute()
      await store.db.deleteFrom('orders').where('id', 'like', 'many %').execute()
    })

    test.each(['redeem', 'refund'] as const)('a %s of another chain is leased at once', async (verb) => {
      await want(action('destination', verb))
      const leased = await leaseActions(store.db, 'holder', SECONDS, { limit: 50, perChain: 40 })
      expect(leased).toHaveLength(41)
      expect(leased.filter(({ orderId: of }) => of === orderId)).toHaveLength(1)
    })

    test('each may be batched: those that could go with it may not be among the considered ones', async () => {
      const leased = await leaseActions(store.db, 'holder', SECONDS, { limit: 50 })
      expect(leased.every(({ mayBatch }) => mayBatch)).toBe(true)
    })

    test('they leave slots for those of other chains', async () => {
      await want(action('source', 'redeem'), action('source', 'refund'), action('destination', 'redeem'))
      const query = {
        limit: 50,
        perChain: 8,
        inProgress: new Map([
          ['litecoin_regtest', 5],
          ['ethereum_localnet', 8],
        ]),
      }
      const leased = await leaseActions(store.db, 'holder', SECONDS, query)
      const chains = leased.map(({ chains: of, leg }) => of[leg]).toSorted()
      expect(chains).toEqual(['bitcoin_regtest', 'bitcoin_regtest', 'litecoin_regtest', 'litecoin_regtest', 'litecoin_regtest'])
    })

    test('a lease reads few of them', async () => {
      let read = 0
      await store.db.connection().execute(async (db) => {
        const count = async () => {
          await sql`select pg_stat_force_next_flush()`.execute(db)
          await sql`select pg_stat_clear_snapshot()`.execute(db)
          const { rows: found } = await sql<{ read: number }>`
            select (idx_tup_fetch + seq_tup_read)::integer as read from pg_stat_user_tables where relname = 'actions'`.execute(db)
          return found[0]?.read ?? 0
        }
        const before = await count()
        await leaseActions(db, 'holder', SECONDS, { limit: 50 })
        read = (await count()) - before
      })
      expect(read).toBeLessThan(1500)
    })
  })

  test('that expired can be taken over, and its old holder cannot write any more', async () => {
    await want(action('source', 'redeem'))
    const old = await lease('old')
    expect(await recordAttempt(store.db, [old], attempt('first'))).toBe(true)
    await expireLeases()
    expect(await recordAttempt(store.db, [old], attempt('too late'))).toBe(false)
    const fresh = await lease('fresh')
    expect(fresh).toMatchObject({ key: old.key, fence: old.fence + 1n })
    expect(await recordAttempt(store.db, [old], attempt('after takeover'))).toBe(false)
    await finishAction(store.db, old, { kind: 'sent', tx: 'after takeover', againInMs: 0 })
    expect(await readAction(store.db, old.key)).toMatchObject({ wanted: true, lastTx: null, lastError: null })
    expect(await leaseAction(store.db, 'third', SECONDS)).toBeNull()
    expect(await recordAttempt(store.db, [fresh], attempt('second'))).toBe(true)
    expect((await readAttempts(store.db, old.key)).map((made) => made.tx)).toEqual(['first', 'second'])
    await finishAction(store.db, fresh, { kind: 'sent', tx: 'second', againInMs: 0 })
    expect(await readAction(store.db, old.key)).toMatchObject({ wanted: true, lastTx: 'second', lastError: null })
  })
})

test('a renewal of leases locks in the order of keys, as a record does: neither can deadlock the other', async () => {
  await want(action('source', 'redeem'), action('destination', 'refund'))
  const [low, high] = [await lease(), await lease()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
  if (low === undefined || high === undefined) throw new Error('nothing to lease')
  // The row of the higher key is now the first in the table.
  for (const { key } of [high, low]) await sql`update actions set failures = failures + 1 where key = ${key}`.execute(store.db)
  const lock = (db: typeof store.db, { key }: LeasedAction) => sql`select from actions where key = ${key} for update`.execute(db)
  let renewed: Promise<unknown> | undefined
  await store.other.transaction().execute(async (tx) => {
    await lock(tx, low)
    renewed = renewActions(store.db, 'holder', [high, low], SECONDS)
    const waits = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%lease_until = now()%'`
    await expect.poll(async () => (await waits.execute(store.db)).rows.length).toBe(1)
    await sql`set local lock_timeout = '200ms'`.execute(tx)
    await lock(tx, high)
  })
  expect(new Set((await renewed) as string[])).toEqual(new Set([low.key, high.key]))
})

test('making an attempt of several actions due waits for no lock: it cannot deadlock with a record', async () => {
  await want(action('source', 'redeem'), action('destination', 'redeem'))
  const [low, high] = [await lease(), await lease()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
  if (low === undefined || high === undefined) throw new Error('nothing to lease')
  await recordAttempt(store.db, [low, high], attempt('both'))
  for (const one of [high, low]) await finishAction(store.db, one, { kind: 'sent', tx: 'both', againInMs: 3_600_000 })
  const makeDue = () => makeAttemptDue(store.db, { chain: attempt('both').chain, sender: attempt('both').sender, tx: 'both' })
  let done: Promise<void> | undefined
  await store.other.transaction().execute(async (tx) => {
    await sql`select from actions where key = ${low.key} for update`.execute(tx)
    done = makeDue()
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 500))])
    await sql`set local lock_timeout = '200ms'`.execute(tx)
    await sql`select from actions where key = ${high.key} for update`.execute(tx)
  })
  await done
  const due = async () =>
    (await sql<{ key: string }>`select key from actions where due_at <= now()`.execute(store.db)).rows.map(({ key }) => key)
  expect(await due()).toEqual([high.key])
  await makeDue()
  expect((await due()).toSorted()).toEqual([low.key, high.key])
})

describe('an initiation that is not wanted any more', () => {
  const initiate = () => action('destination', 'initiate')
  beforeEach(() => want(initiate()))

  test('is cancelled if it has attempts, until the cancellation is done', async () => {
    const first = await lease()
    expect(first).toMatchObject({ cancelling: false, lastTx: null })
    await recordAttempt(store.db, [first], attempt('a'))
    await finishAction(store.db, first, { kind: 'sent', tx: 'a', againInMs: 3_600_000 })
    expect(await want()).toBe(false)
    const second = await lease()
    expect(second).toMatchObject({ key: first.key, cancelling: true, lastTx: 'a' })
    expect(await recordAttempt(store.db, [second], attempt('cancellation'))).toBe(true)
    await finishAction(store.db, second, { kind: 'cancelling', tx: 'cancellation', againInMs: 0 })
    const third = await lease()
    await finishAction(store.db, third, { kind: 'cancelled' })
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
  })

  test('is dropped if it has no attempts, and no attempt can be recorded any more', async () => {
    const leased = await lease()
    await want()
    expect(await recordAttempt(store.db, [leased], attempt('too late'))).toBe(false)
    await finishAction(store.db, leased, { kind: 'skipped', againInMs: 0 })
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
    expect(await readAttempts(store.db, leased.key)).toEqual([])
  })

  test('is cancelled too if an attempt is being recorded concurrently', async () => {
    const leased = await lease()
    const dropping = await store.other.transaction().execute(async (tx) => {
      await sql`select from actions where key = ${leased.key} for update`.execute(tx)
      await sql`insert into attempts (action_key, number, chain, sender, tx, raw, slots, fee_rate) values (${leased.key}, 1, '', '', 'a', '', '{}', 1)`.execute(
        tx,
      )
      const started = want()
      for (let waiting = false; !waiting; ) {
        const { rows: found } =
          await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(store.db)
        waiting = found.length > 0
      }
      return { started }
    })
    await dropping.started
    await finishAction(store.db, leased, { kind: 'sent', tx: 'a', againInMs: 0 })
    expect(await lease()).toMatchObject({ key: leased.key, cancelling: true })
  })

  test('is not cancelled if it is confirmed, until a rewind of its chain', async () => {
    const leased = await lease()
    await recordAttempt(store.db, [leased], attempt('a'))
    await finishAction(store.db, leased, { kind: 'sent', tx: 'a', againInMs: 0 })
    await syncWanted(store.db, [leased.orderId], [], new Set([leased.key]))
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
    await rewind(store.db, attempt('a').chain, { height: 0n, hash: '', parentHash: '', time: 0n })
    expect(await lease()).toMatchObject({ key: leased.key, cancelling: true })
  })

  test('is not cancelled if it is wanted again', async () => {
    const leased = await lease()
    await recordAttempt(store.db, [leased], attempt('a'))
    await finishAction(store.db, leased, { kind: 'sent', tx: 'a', againInMs: 0 })
    await want()
    await want(initiate())
    expect(await lease()).toMatchObject({ key: leased.key, cancelling: false })
  })

  test.each(['redeem', 'refund'] as const)('unlike a %s, which is just dropped', async (verb) => {
    await want(action('source', verb))
    const leased = await lease()
    await recordAttempt(store.db, [leased], attempt('a'))
    await finishAction(store.db, leased, { kind: 'sent', tx: 'a', againInMs: 0 })
    await want()
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
  })
})

describe('finishAction', () => {
  const key = () => actionKey(orderId, 'source', 'redeem')
  const dueInMs = async () => {
    const { rows: found } = await sql<{
      ms: number
    }>`select (extract(epoch from due_at - updated_at) * 1000)::float8 as ms from actions`.execute(store.db)
    return found[0]?.ms ?? 0
  }
  const ends = async (result: Parameters<typeof finishAction>[2]) => {
    await makeDue()
    const leased = await lease()
    await finishAction(store.db, leased, result)
    return leased
  }
  beforeEach(() => want(action('source', 'redeem')))

  test('counts and stores failures and backs off; a success resets them', async () => {
    expect(await ends({ kind: 'failed', error: 'first', againInMs: 3_600_000 })).toMatchObject({ failures: 0 })
    expect(await leaseAction(store.db, 'holder', SECONDS)).toBeNull()
    expect(await dueInMs()).toBeGreaterThan(3_000_000)
    expect(await ends({ kind: 'failed', error: 'second', againInMs: 3_600_000 })).toMatchObject({ failures: 1 })
    expect(await readAction(store.db, key())).toMatchObject({ wanted: true, lastTx: null, lastError: 'second' })
    expect(await ends({ kind: 'failed', error: 'second', againInMs: 3_600_000, isExpected: true })).toMatchObject({ failures: 2 })
    expect(await ends({ kind: 'skipped', againInMs: 3_600_000 })).toMatchObject({ failures: 2 })
    expect(await readAction(store.db, key())).toMatchObject({ wanted: true, lastTx: null, lastError: 'second' })
    expect(await ends({ kind: 'sent', tx: 'tx', againInMs: 0 })).toMatchObject({ failures: 2 })
    expect(await readAction(store.db, key())).toMatchObject({ wanted: true, lastTx: 'tx', lastError: null })
    expect(await lease()).toMatchObject({ failures: 0 })
  })

  test.each(['a zero byte \0', 'half a character \ud83d'])('stores what a contract or a node says, also with %j', async (said) => {
    await want(action('source', 'redeem'), action('source', 'refund'))
    const [bad, good] = [await lease(), await lease()]
    await Promise.all([
      finishAction(store.db, bad, { kind: 'failed', error: said, refusal: said, againInMs: 1000 }),
      finishAction(store.db, good, { kind: 'sent', tx: 'good', againInMs: 1000 }),
    ])
    const stored = `${said.slice(0, -1)}\ufffd`
    expect(await readAction(store.db, bad.key)).toMatchObject({ lastError: stored, refusal: stored })
    expect(await readAction(store.db, good.key)).toMatchObject({ lastTx: 'good' })
  })

  test('of several actions at once shares few statements, and each gets its own result', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, () => putOrder(store.db)))
    const ids = orders.map(({ order }) => order.id)
    await store.db.deleteFrom('actions').execute()
    await syncWanted(
      store.db,
      ids,
      ids.map((id) => action('destination', 'initiate', id)),
    )
    const leased = await leaseActions(store.db, 'holder', SECONDS, { limit: 50 })
    let statements = 0
    const db = withResults(store.db, () => {
      statements += 1
    })
    const lost = leased[3] as LeasedAction
    await sql`update actions set fence = fence + 1 where key = ${lost.key}`.execute(store.db)
    await Promise.all(leased.map((one, index) => finishAction(db, one, { kind: 'sent', tx: `tx ${index}`, againInMs: 3_600_000 })))
    expect(statements).toBeLessThanOrEqual(3)
    for (const [index, one] of leased.entries())
      expect((await readAction(store.db, one.key))?.lastTx).toBe(one === lost ? null : `tx ${index}`)
  })

  test.each<{ result: Parameters<typeof finishAction>[2]; changed: object }>([
    {
      result: { kind: 'sent', tx: 'new', againInMs: 0 },
      changed: { last_tx: 'new', reverted_tx: null, last_error: null, refusal: null, failures: 0 },
    },
    { result: { kind: 'failed', error: 'why', againInMs: 0 }, changed: { last_error: 'why', refusal: null, failures: 8 } },
    {
      result: { kind: 'failed', error: 'why', againInMs: 0, revertedTx: 'dead', refusal: 'told' },
      changed: { last_tx: null, reverted_tx: 'dead', last_error: 'why', refusal: 'told', failures: 8 },
    },
    { result: { kind: 'skipped', againInMs: 0 }, changed: {} },
    { result: { kind: 'cancelling', tx: 'noop', againInMs: 0 }, changed: {} },
    { result: { kind: 'cancelled' }, changed: { cancelling: false } },
    { result: { kind: 'finished' }, changed: { wanted: false, last_error: null, refusal: null } },
  ])('$result.kind changes only what it should', async ({ result, changed }) => {
    const before = {
      last_tx: 'old',
      reverted_tx: 'gone',
      last_error: 'before',
      refusal: 'said',
      failures: 7,
      cancelling: true,
      wanted: true,
    }
    await store.db.updateTable('actions').set(before).execute()
    const leased = await ends(result)
    expect(leased.failures).toBe(7)
    expect(await rows()).toMatchObject([{ ...before, ...changed, lease_holder: null, lease_until: null }])
  })

  test('an unknown action has no row', async () => {
    expect(await readAction(store.db, 'unknown')).toBeNull()
  })
})

describe('attempts', () => {
  test('are read in the order of recording', async () => {
    await want(action('source', 'redeem'))
    const leased = await lease()
    for (const tx of ['c', 'a', 'b']) await recordAttempt(store.db, [leased], attempt(tx))
    const read = await readAttempts(store.db, leased.key)
    expect(read.map((made) => made.tx)).toEqual(['c', 'a', 'b'])
    expect(read[0]).toMatchObject({ raw: 'raw c', slots: ['nonce 1', 'nonce 2'], feeRate: 10n ** 30n, at: expect.any(BigInt) })
  })

  test('that contain the secret mark the order in the same transaction', async () => {
    const { order } = await putOrder(store.db)
    const signed = async () => (await findOrder(store.db, order.id))?.secretSigned
    await syncWanted(store.db, [order.id], [action('destination', 'redeem', order.id)])
    const leased = await lease()
    await expireLeases()
    expect(await recordAttempt(store.db, [leased], attempt('too late', { holdsSecret: true }))).toBe(false)
    expect(await signed()).toBe(false)
    const again = await lease()
    await recordAttempt(store.db, [again], attempt('a'))
    expect(await signed()).toBe(false)
    await recordAttempt(store.db, [again], attempt('b', { holdsSecret: true }))
    expect(await signed()).toBe(true)
  })

  test('readSenderAttempts returns recent attempts of the same sender and chain, with their actions', async () => {
    await want(...everything().slice(0, 3))
    const [mine, theirs, old] = [await lease(), await lease(), await lease()]
    await recordAttempt(store.db, [mine], attempt('mine'))
    await recordAttempt(store.db, [theirs], attempt('second'))
    await recordAttempt(store.db, [theirs], attempt('another sender', { sender: 'you' }))
    await recordAttempt(store.db, [theirs], attempt('another chain', { chain: 'bitcoin_regtest' }))
    await recordAttempt(store.db, [old], attempt('first'))
    await recordAttempt(store.db, [old], attempt('forgotten'))
    await sql`update attempts set at = to_timestamp(${(NOW - 259_200n).toString()}::bigint) where tx = 'forgotten'`.execute(store.db)
    await sql`update attempts set at = to_timestamp(${(NOW - 86_400n).toString()}::bigint) where tx = 'first'`.execute(store.db)
    await want(theirs)
    const others = await readSenderAttempts(store.db, {
      chain: 'ethereum_localnet',
      sender: 'me',
      since: NOW - 172_800n,
      fromNonce: null,
    })
    expect(others.map((made) => [made.tx, made.key, made.wanted])).toEqual([
      ['first', old.key, false],
      ['mine', mine.key, false],
      ['second', theirs.key, true],
    ])
  })

  test('of other actions from a nonce on, where the chain has nonces', async () => {
    await want(...everything().slice(0, 2))
    const theirs = await lease()
    await recordAttempt(store.db, [theirs], attempt('without a nonce'))
    for (const nonce of [8n, 9n, 10n]) await recordAttempt(store.db, [theirs], attempt(`nonce ${nonce}`, { nonce }))
    const query = { chain: 'ethereum_localnet', sender: 'me', since: NOW - 172_800n, fromNonce: 9n }
    expect((await readSenderAttempts(store.db, query)).map(({ tx, nonce }) => [tx, nonce])).toEqual([
      ['nonce 9', 9n],
      ['nonce 10', 10n],
    ])
  })
})
