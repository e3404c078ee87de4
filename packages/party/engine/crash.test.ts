// Tests a process that is killed or paused inside an action, and a database that is away: another process takes the action up soon, and it
// is done once.

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { testSigning } from '@tandem/keys/keys.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { leaseAction, readAction } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import type { Database } from '../store/database/database.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW } from '../store/store.fixture.ts'
import { type EngineFixture, freshEngine, registry } from './engine.fixture.ts'
import { type Engine, startEngine } from './engine.ts'
import { executeAction } from './executor.ts'
import { createLeases } from './leases.ts'
import { createMortal, type Mortal } from './mortal.fixture.ts'
import { LEASE_SECONDS } from './times.ts'

const store = sharedStore()
const fixture = freshEngine(store)
const engines: Engine[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()))
})

const eventually = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 150_000, interval: 20 })
const key = () => `${fixture.order.id}/destination/initiate`
const attempts = async () => (await readAttempts(store.db, key())).map(({ tx }) => tx)
const expireLeases = () => sql`update actions set lease_until = now() - interval '1 second' where lease_until is not null`.execute(store.db)
const expireWatch = () => sql`update leases set until = now() - interval '1 second'`.execute(store.db)
async function secondsLeft(): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from lease_until - now())::float8 as seconds from actions where key = ${key()}`.execute(store.db)
  return rows[0]?.seconds ?? 0
}

function start(db: Database, { onLog = () => undefined, clients = fixture.clients }: Partial<StartOptions> = {}): Engine {
  const log = testLog(onLog)
  return startEngine({ db, registry, clients, party: fixture.context('solver').party, log, now: () => NOW })
}
type StartOptions = { readonly onLog: (line: string) => void; readonly clients: EngineFixture['clients'] }

function startSurvivor(): void {
  engines.push(start(store.db))
}

function startMortal(mortal: Mortal, onLog: (line: string) => void = () => undefined): void {
  start(mortal.db, { onLog, clients: mortal.clientsOf(fixture.clients) })
}

describe('a process that is killed', () => {
  const steps: readonly { readonly step: string; readonly recorded: readonly string[]; readonly arrange: (mortal: Mortal) => void }[] = [
    {
      step: 'after it leased the action',
      recorded: [],
      arrange(mortal) {
        // The watcher reads the tip too; the executor is the first to read it under a lease.
        fixture.ethereum.before.tip = async () => {
          if ((await secondsLeft()) > 0) await mortal.dieHere()
        }
      },
    },
    {
      step: 'before it signs',
      recorded: [],
      arrange(mortal) {
        fixture.ethereum.before.initiate = mortal.dieHere
      },
    },
    {
      step: 'after it recorded',
      recorded: ['initiate 1'],
      arrange(mortal) {
        fixture.ethereum.before.broadcast = mortal.dieHere
      },
    },
    {
      step: 'after the broadcast',
      recorded: ['initiate 1'],
      arrange(mortal) {
        fixture.ethereum.before['answer to broadcast'] = mortal.dieHere
      },
    },
  ]

  async function takenUp(recorded: readonly string[]): Promise<void> {
    for (const question of ['tip', 'initiate', 'broadcast', 'answer to broadcast'] as const) delete fixture.ethereum.before[question]
    expect(await secondsLeft()).toBeLessThanOrEqual(LEASE_SECONDS)
    expect(await attempts()).toEqual(recorded)
    await expireLeases()
    await expireWatch()
    startSurvivor()
    const sent = `initiate ${recorded.length + 1}`
    await eventually(async () => expect(await readAction(store.db, key())).toMatchObject({ lastTx: sent }))
    expect(fixture.ethereum.orders.at(-1)?.outbox.attempts.map(({ tx }) => tx)).toEqual(recorded)
    expect(await attempts()).toEqual([...recorded, sent])
  }

  test.each(steps)('$step: the next takes the action up with what is recorded', async ({ recorded, arrange }) => {
    const mortal = await createMortal(store)
    arrange(mortal)
    await fixture.fund('source')
    startMortal(mortal)
    await mortal.died
    await takenUp(recorded)
  })

  test('before it finishes: the next takes the action up with what is recorded', async () => {
    const mortal = await createMortal(store)
    await fixture.fund('source')
    startMortal(mortal, (line) => {
      if (line.includes('"msg":"sent"')) void mortal.kill()
    })
    await mortal.died
    await takenUp(['initiate 1'])
  })

  // The delay depends on the lease, whose seconds are checked where they are set.
  test('is replaced by another that runs', async () => {
    const mortal = await createMortal(store)
    fixture.ethereum.before.initiate = mortal.dieHere
    await fixture.fund('source')
    startMortal(mortal)
    await mortal.died
    delete fixture.ethereum.before.initiate
    startSurvivor()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
  })
})

describe('a process that was paused, and whose lease another took over', () => {
  test('neither signs nor records, nor touches the result', async () => {
    await fixture.fund('source')
    let nowMs = 0
    const leases = createLeases(store.db, 'paused', LEASE_SECONDS, () => nowMs)
    await expireLeases()
    await fixture.lease('destination', 'initiate')
    await expireLeases()
    const action = await leases.next()
    if (action === null) throw new Error('nothing to lease')
    let signing: unknown
    fixture.ethereum.before.sign = async () => {
      nowMs += 10_000
      await expireLeases()
      await leaseAction(store.other, 'another engine', 60)
      const { signer } = fixture.ethereum.orders.at(-1) ?? {}
      if (signer?.curve !== 'secp256k1') throw new Error('expected a secp256k1 signer')
      signing = await Promise.resolve()
        .then(() => testSigning.sign('digest', signer, new Uint8Array(32)))
        .catch((error: unknown) => error)
    }
    const result = await executeAction({ ...fixture.context('solver'), leases }, action)
    expect(result).toMatchObject({ kind: 'skipped' })
    expect(signing).toMatchObject({ kind: 'superseded' })
    expect(await attempts()).toEqual([])
    await leases.finish(action, { kind: 'sent', tx: 'never sent', againInMs: 0 })
    expect(await readAction(store.db, key())).toMatchObject({ lastTx: null })
    await leases.renew()
    expect(await store.db.selectFrom('actions').select('lease_holder').where('key', '=', key()).executeTakeFirst()).toEqual({
      lease_holder: 'another engine',
    })
  })
})

describe('a lease', () => {
  async function lease(seconds = LEASE_SECONDS, nowMs: () => number = () => performance.now()) {
    const leases = createLeases(store.db, 'me', seconds, nowMs)
    await fixture.lease('destination', 'initiate')
    await expireLeases()
    const action = await leases.next()
    if (action === null) throw new Error('nothing to lease')
    return { leases, action }
  }

  test('is renewed with all others of the process in one statement', async () => {
    const { leases, action } = await lease(60)
    await sql`update actions set lease_until = now() + interval '1 second'`.execute(store.db)
    await leases.renew()
    expect(await secondsLeft()).toBeGreaterThan(50)
    leases.assertHeld([action])
  })

  test('that expired while the database was away continues if nobody took it', async () => {
    let nowMs = 0
    const { leases, action } = await lease(LEASE_SECONDS, () => nowMs)
    nowMs = LEASE_SECONDS * 1000
    await expireLeases()
    expect(() => leases.assertHeld([action])).toThrow(ChainFailure)
    await leases.renew()
    leases.assertHeld([action])
    expect(await secondsLeft()).toBeGreaterThan(0)
  })

  test('is not renewed once it is finished', async () => {
    const { leases, action } = await lease()
    await leases.finish(action, { kind: 'sent', tx: 'a', againInMs: 0 })
    const other = await leaseAction(store.other, 'another engine', 1)
    await leases.renew()
    expect(other?.fence).toBe(action.fence + 1n)
    expect(() => leases.assertHeld([action])).toThrow(ChainFailure)
  })
})

describe('a database that is away', () => {
  /** Simulates a database that is away by rejecting writes to actions. Reads still work, which makes no difference here. */
  const away = async (isAway: boolean) => {
    await sql`drop trigger if exists away on actions`.execute(store.db)
    await sql`create or replace function away() returns trigger language plpgsql as $$ begin raise 'away'; end $$`.execute(store.db)
    if (isAway) await sql`create trigger away before update on actions for each row execute function away()`.execute(store.db)
  }
  afterEach(() => away(false))

  test('for a moment when an action ends: its result is written when the database is back', async () => {
    fixture.ethereum.before['answer to broadcast'] = () => away(true)
    await fixture.fund('source')
    let isRetrying = false
    const engine = start(store.db, {
      onLog: (line) => {
        isRetrying ||= line.includes('cannot renew leases')
      },
    })
    engines.push(engine)
    await eventually(() => expect(isRetrying).toBe(true))
    await away(false)
    await eventually(async () => expect(await readAction(store.db, key())).toMatchObject({ lastTx: 'initiate 1' }))
    expect(await attempts()).toEqual(['initiate 1'])
  })

  test('for longer than the lease: the result is given up, and the action is free', async () => {
    let nowMs = 0
    const leases = createLeases(store.db, 'me', LEASE_SECONDS, () => nowMs)
    await fixture.lease('destination', 'initiate')
    await expireLeases()
    const action = await leases.next()
    if (action === null) throw new Error('nothing to lease')
    await away(true)
    nowMs = LEASE_SECONDS * 1000
    await expect(leases.finish(action, { kind: 'sent', tx: 'a', againInMs: 0 })).rejects.toThrow('away')
    await away(false)
    await expireLeases()
    expect(await leaseAction(store.other, 'another engine', 60)).toMatchObject({ key: action.key, lastTx: null })
  })
})
