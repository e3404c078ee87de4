/** Tests that a restored database is detected before anything is signed. */
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actionKey } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { confirmRollbacks } from '../../store/database/rollbacks.ts'
import { addInstantRefunds } from '../../store/orders/grants.ts'
import { commitTo } from '../../store/solver/commitments.ts'
import { openTestStore, putOrder, type TestStore } from '../../store/store.fixture.ts'
import { refundOf } from './refund-of.fixture.ts'
import type { RollbackGuard } from './rollback-guard.ts'

const world = vi.hoisted(() => ({ isDiskFull: false, compared: [] as number[] }))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const open: typeof fs.open = (...args) => (world.isDiskFull ? Promise.reject(new Error('the disk is full')) : fs.open(...args))
  return { ...fs, open }
})
vi.mock('../../store/database/rollbacks.ts', async (original) => {
  const rollbacks = await original<typeof import('../../store/database/rollbacks.ts')>()
  const readReleaseStatus: typeof rollbacks.readReleaseStatus = (db, releases) => {
    world.compared.push(releases.length)
    return rollbacks.readReleaseStatus(db, releases)
  }
  return { ...rollbacks, readReleaseStatus }
})

// Test files share modules: another one may have loaded the guard without the mocks.
vi.resetModules()
const { startRollbackGuard } = await import('./rollback-guard.ts')

const log = createLogger({ name: 'test', level: 'silent' })
let folder: string
let store: TestStore
let path: string
const running: RollbackGuard[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-releases-'))
  path = join(folder, 'releases.log')
  store = await openTestStore()
})
afterEach(async () => {
  for (const guard of running.splice(0)) await guard.stop()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

async function start(file = path): Promise<RollbackGuard> {
  const guard = await startRollbackGuard({ db: store.db, path: file, log, checkMs: 20 })
  running.push(guard)
  return guard
}

async function order(minedAt = 2n ** 40n) {
  const { order: made } = await putOrder(store.db)
  const counted = [{ block: { height: 1n, hash: 'a', time: minedAt } }]
  return { order: made, source: { counted } } as unknown as Pick<OrderState, 'order' | 'source'>
}

async function signRefund(guard: RollbackGuard, { order: { id } }: Pick<OrderState, 'order'>): Promise<void> {
  await commitTo(store.db, id, 'refund_signed')
  await guard.note(refundOf(id))
}

const restore = () => store.db.deleteFrom('commitments').execute()

test('a database that has all that was signed is used, also by another process that starts', async () => {
  const [first, mine] = [await start(), await order()]
  await signRefund(first, mine)
  const second = await start()
  expect([await first.whyUnsafe(mine), await second.whyUnsafe(mine)]).toEqual([null, null])
})

test('after a restore, older orders are not signed for until the operator confirms; newer ones are', async () => {
  const [first, mine, other] = [await start(), await order(), await order()]
  await signRefund(first, mine)
  await first.stop()
  await restore()
  const guard = await start()
  const newer = await order()
  expect(await guard.whyUnsafe(mine)).toMatch(/older backup/)
  // This order may have been signed for too, in lines that this machine never had.
  expect(await guard.whyUnsafe(other)).toMatch(/older backup/)
  expect(await guard.whyUnsafe(newer)).toBeNull()
  // An older order may be submitted again as a new one.
  expect(await guard.whyUnsafe(await order(1n))).toMatch(/older backup/)
  // A restart keeps the finding.
  const again = await start()
  expect(await again.whyUnsafe(mine)).toMatch(/older backup/)
  expect(await confirmRollbacks(store.db)).toBe(1)
  await expect.poll(() => guard.whyUnsafe(mine)).toBeNull()
  const confirmed = await start()
  expect(await confirmed.whyUnsafe(mine)).toBeNull()
})

test('a rollback under a running process is found', async () => {
  const [guard, mine] = [await start(), await order()]
  await signRefund(guard, mine)
  await restore()
  await expect.poll(() => guard.whyUnsafe(mine)).toMatch(/older backup/)
})

test('a second restore, to before the first one was noticed, is found too', async () => {
  const [first, mine] = [await start(), await order()]
  await signRefund(first, mine)
  await first.stop()
  await restore()
  await (await start()).stop()
  await store.db.deleteFrom('rollbacks').execute()
  expect(await (await start()).whyUnsafe(mine)).toMatch(/older backup/)
})

test('a lost transaction is found', async () => {
  const [first, mine] = [await start(), await order()]
  await first.noteAttempt(actionKey(mine.order.id, 'destination', 'initiate'), 'tx')
  await first.stop()
  expect(await (await start()).whyUnsafe(mine)).toMatch(/older backup/)
})

test('the amount that an action has locked is known after a restart, after a rollback, and whatever the database says', async () => {
  const [first, mine] = [await start(), await order()]
  const key = actionKey(mine.order.id, 'destination', 'initiate')
  await first.noteAttempt(key, 'tx', 'an HTLC')
  await first.noteAttempt(key, 'replacement', 'an HTLC')
  expect(first.locksOf(key)).toEqual(['an HTLC'])
  await first.stop()
  const second = await start()
  expect(await second.whyUnsafe(mine)).toMatch(/older backup/)
  expect(second.locksOf(key)).toEqual(['an HTLC'])
  await second.stop()
  expect((await start()).locksOf(key)).toEqual(['an HTLC'])
  expect((await start()).locksOf(actionKey('another', 'destination', 'initiate'))).toEqual([])
})

test('a transaction is written once, and concurrent lines all arrive', async () => {
  // The database knows nothing of this line, so a comparison must not run meanwhile.
  const guard = await startRollbackGuard({ db: store.db, path, log, checkMs: 3_600_000 })
  const mine = await order()
  const key = actionKey(mine.order.id, 'destination', 'initiate')
  for (let times = 0; times < 3; times += 1) await guard.noteAttempt(key, 'tx')
  await Promise.all(Array.from({ length: 50 }, (_, index) => guard.note(refundOf(`order ${index}`))))
  await guard.stop()
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  expect(lines).toHaveLength(52)
  expect(new Set(lines).size).toBe(52)
})

test('a crash after the commit and before the line, or in the middle of a line, is no rollback', async () => {
  const [first, mine] = [await start(), await order()]
  await commitTo(store.db, mine.order.id, 'refund_signed')
  await first.stop()
  await appendFile(path, '{"refund":"half of an or')
  const second = await start()
  expect(await second.whyUnsafe(mine)).toBeNull()
  const next = await order()
  await signRefund(second, next)
  await second.stop()
  await restore()
  expect(await (await start()).whyUnsafe(next)).toMatch(/older backup/)
})

test('a missing file holds older orders back if there was one, and no other engine lives', async () => {
  const mine = await order()
  expect(await (await start()).whyUnsafe(mine)).toBeNull()
  const lease = { name: 'engine other', holder: 'other', until: new Date(Date.now() + 60_000) }
  await store.db.insertInto('leases').values(lease).execute()
  expect(await (await start(join(folder, 'second-machine.log'))).whyUnsafe(mine)).toBeNull()
  await store.db.deleteFrom('leases').execute()
  expect(await (await start(join(folder, 'third-machine.log'))).whyUnsafe(mine)).toMatch(/older backup/)
})

test('a process that died right after it made the file starts as if there were none', async () => {
  await writeFile(path, '{"log":"made by a process that died"}\n')
  expect(await (await start()).whyUnsafe(await order())).toBeNull()
})

test('without a file that can be written it starts, and nothing can be noted until there is one', async () => {
  const blocked = join(folder, 'not-a-folder')
  await writeFile(blocked, '')
  const guard = await start(join(blocked, 'releases.log'))
  await expect(guard.note(refundOf('order'))).rejects.toThrow('cannot write the release log')
  await rm(blocked)
  await guard.note(refundOf('order'))
})

test('a lost refund of a stray is found, and one that is on record is not', async () => {
  const [first, mine] = [await start(), await order()]
  const refund = { deposit: 'stray', amount: 5n, to: 'home', pays: 4n, signature: '' }
  await store.db.transaction().execute((tx) => addInstantRefunds(tx, mine.order.id, [refund, { ...refund, deposit: 'other' }]))
  await first.note({ order: mine.order.id, deposits: ['stray', 'other'] })
  await first.stop()
  const second = await start()
  expect(await second.whyUnsafe(mine)).toBeNull()
  await second.stop()
  await store.db.deleteFrom('grants').execute()
  await store.db.transaction().execute((tx) => addInstantRefunds(tx, mine.order.id, [refund]))
  expect(await (await start()).whyUnsafe(mine)).toMatch(/older backup/)
})

test('a file that cannot be written is reported before anything is signed, and one that is gone is made again', async () => {
  const guard = await start()
  await guard.assertWritable()
  await store.db
    .insertInto('leases')
    .values({ name: 'engine this', holder: 'this', until: new Date(Date.now() + 60_000) })
    .execute()
  await rm(path)
  await expect(guard.assertWritable()).rejects.toThrow('cannot write the release log')
  await guard.assertWritable()
  const mine = await order()
  await signRefund(guard, mine)
  expect(await guard.whyUnsafe(mine)).toBeNull()
  await restore()
  expect(await guard.whyUnsafe(mine)).toMatch(/older backup/)
})

test('while the disk is full, what is compared does not grow with each try', async () => {
  const guard = await start()
  await signRefund(guard, await order())
  world.isDiskFull = true
  try {
    for (let times = 0; times < 5; times += 1) await expect(guard.assertWritable()).rejects.toThrow('cannot write the release log')
  } finally {
    world.isDiskFull = false
  }
  await guard.assertWritable()
  expect(world.compared.at(-1)).toBeLessThan(5)
})

test('earlier signatures for an order are compared again before each new one', async () => {
  const guard = await startRollbackGuard({ db: store.db, path, log, checkMs: 3_600_000 })
  running.push(guard)
  const mine = await order()
  expect(await guard.whyUnsafe(mine)).toBeNull()
  await signRefund(guard, mine)
  await restore()
  expect(await guard.whyUnsafe(mine)).toMatch(/older backup/)
})

test('a backup from before the log was made is confirmed once, not at every start', async () => {
  const first = await start()
  const mine = await order()
  await signRefund(first, mine)
  await first.stop()
  await restore()
  await store.db.deleteFrom('release_logs').execute()
  const guard = await start()
  expect(await guard.whyUnsafe(mine)).toMatch(/older backup/)
  await confirmRollbacks(store.db)
  await guard.stop()
  const again = await start()
  expect(await again.whyUnsafe(mine)).toBeNull()
})

test('a rollback that is found just before a signature is used stops the signature', async () => {
  const [inner, moved] = [join(folder, 'inner'), join(folder, 'moved')]
  const file = join(inner, 'releases.log')
  const first = await start(file)
  const mine = await order()
  await signRefund(first, mine)
  await first.stop()
  await restore()
  await rename(inner, moved)
  await writeFile(inner, 'not a folder')
  const guard = await start(file)
  await rm(inner)
  await rename(moved, inner)
  await expect(guard.note(refundOf('another'))).rejects.toThrow(/operator must confirm/)
})
