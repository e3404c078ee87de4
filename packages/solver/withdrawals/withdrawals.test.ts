/** Tests withdrawals: who gets inventory, what stays for orders, and that a crash, a forged row or a lost row makes nothing leave twice. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transfer } from '@tandem/chain-kit/port/abilities/transfer.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { testSigning, withRecordedPurposes } from '@tandem/keys/keys.fixture.ts'
import type { Purpose } from '@tandem/keys/purpose.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { createLeases } from '@tandem/party/engine/leases.ts'
import { noGuard, type RollbackGuard, type SignedTransfer, startRollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { executeWithdrawal } from '@tandem/party/engine/withdrawals/withdrawals.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import {
  cancelWithdrawal,
  openWithdrawals,
  readWithdrawal,
  requestWithdrawals,
  stateOf,
  type Withdrawal,
} from '@tandem/party/store/solver/withdrawals.ts'
import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { createInventory } from '../inventory.ts'
import { acceptedOrder, freshSolver, wbtc } from '../solver.fixture.ts'
import { planEvacuation } from './plan.ts'
import { createWithdrawalRules } from './rules.ts'
import { whyNotAllowed, withdrawalSettings } from './settings.ts'

const CHAIN = 'ethereum_localnet'
const safe = `0x${'5a'.repeat(20)}`
const thief = `0x${'7e'.repeat(20)}`
const BALANCE = 10_000_000n

const store = sharedStore()
const solver = freshSolver(store)
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) await close()
})

type Allowed = NonNullable<SolverConfig['withdrawals']>
const allowed: Allowed = { addresses: { [CHAIN]: [safe] } }

/** The release log outlives a process. */
function guardInMemory(): RollbackGuard {
  const signed = new Map<string, SignedTransfer[]>()
  return {
    ...noGuard,
    async noteTransfer(key, tx, pays) {
      signed.set(key, [...(signed.get(key) ?? []), { tx, pays }])
    },
    transfersOf: (key) => signed.get(key) ?? [],
  }
}

/** A process of the solver: its configuration, its memory, and its leases. */
function start(withdrawals: Allowed = allowed, guard: RollbackGuard = guardInMemory()) {
  const { db } = store
  const { registry, clients, keys, now, pricing } = solver.context
  const config = { chains: { [CHAIN]: {}, bitcoin_regtest: {} }, withdrawals }
  const recorded: (readonly Purpose[])[] = []
  const recordingKeys = {
    ...keys,
    of(client: ChainClient) {
      const { key, purposes } = withRecordedPurposes(keys.of(client))
      recorded.push(purposes)
      return key
    },
  }
  const settings = withdrawalSettings({ config, clients, keys })
  const logged: string[] = []
  const log = testLog((line) => logged.push(line))
  const maySend = (withdrawal: Withdrawal) => whyNotAllowed(settings, withdrawal) === null
  const inventory = createInventory({ db, registry, clients, keys, now, keepMs: 0, maySend })
  const rules = createWithdrawalRules({ db, registry, keys: recordingKeys, prices: pricing.prices, guard, inventory, settings, log, now })
  const leases = createLeases(db, `engine ${Math.random()}`, 60)
  const context = { db, clients, leases, rules, log, now }
  return {
    settings,
    inventory,
    rules,
    logged,
    purposes: () => recorded.flat(),
    plan: () => planEvacuation({ db, registry, clients, keys, settings, inventory, targets: {} }),
    /** One pass over what is due. Returns why each that was not sent was not. */
    async pass(): Promise<readonly string[]> {
      await sql`update actions set due_at = now()`.execute(db)
      const why: string[] = []
      for (const open of await openWithdrawals(db)) rules.noteSeen(open)
      for (const leased of await leases.withdrawals(8)) {
        try {
          await leases.finish(leased, await executeWithdrawal(context, leased))
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          why.push(reason)
          await leases.finish(leased, { kind: 'failed', error: reason, againInMs: 0 })
        }
      }
      return why
    },
    die: () => sql`update actions set lease_until = now() - interval '1 second' where lease_until is not null`.execute(db),
  }
}

async function ask(changes: Partial<Pick<Withdrawal, 'recipient' | 'amount'>> = {}): Promise<string> {
  const [id = ''] = await requestWithdrawals(store.db, [{ chain: CHAIN, asset: wbtc, recipient: safe, amount: 1_000_000n, ...changes }])
  return id
}
const stateNow = async (id: string) => {
  const found = await readWithdrawal(store.db, id)
  return found === null ? null : stateOf(found)
}
function transferOf({ transfer }: ChainClient): Transfer {
  if (transfer === undefined) throw new Error('the chain has no transfers')
  return transfer
}
const attemptsOf = (id: string) => readAttempts(store.db, `withdrawal/${id}`)
const finality = () => solver.ethereum.chain.finalityBlocks
/** What was mined left the account. */
function minePayments(): void {
  const before = paid()
  solver.ethereum.minePayments()
  solver.hold(wbtc, solver.ethereum.balances[ownBalance()] ?? 0n)
  const left = paid() - before
  solver.hold(wbtc, (solver.ethereum.balances[ownBalance()] ?? 0n) - left)
}
const ownBalance = () => `${wbtc} ${solver.ethereum.addressOf(solver.context.keys.of(solver.ethereum))}`
const paid = () => solver.ethereum.payments.filter(({ height }) => height !== null).reduce((sum, { request }) => sum + request.amount, 0n)

test('a withdrawal is reserved from quotes when it is asked for, sent, and ends when its block is final', async () => {
  const engine = start()
  expect(await engine.inventory.available(wbtc)).toBe(BALANCE)
  const id = await ask()
  expect(await engine.inventory.available(wbtc)).toBe(9_000_000n)
  expect(await stateNow(id)).toBe('requested')
  expect(await engine.pass()).toEqual([])
  expect(await stateNow(id)).toBe('signed')
  expect(solver.ethereum.payments).toEqual([
    { tx: expect.any(String), request: { asset: wbtc, recipient: safe, amount: 1_000_000n }, height: null },
  ])
  minePayments()
  await engine.pass()
  expect(await stateNow(id)).toBe('confirming')
  // It left the balance, so it is not reserved any more.
  expect(await engine.inventory.available(wbtc)).toBe(9_000_000n)
  solver.ethereum.grow(finality())
  await engine.pass()
  expect(await stateNow(id)).toBe('paid')
  await engine.pass()
  expect(solver.ethereum.payments).toHaveLength(1)
})

test('the signature names chain, asset, recipient and amount as its purpose', async () => {
  const engine = start()
  await ask()
  solver.ethereum.before.sign = async () => {
    const signer = solver.ethereum.orders.at(-1)?.signer
    if (signer != null) await testSigning.sign('digest', signer, new Uint8Array(32))
  }
  expect(await engine.pass()).toEqual([])
  expect(engine.purposes()).toEqual([{ kind: 'withdraw', chain: CHAIN, asset: wbtc, recipient: safe, amount: 1_000_000n }])
})

test('a forged row to an address that the configuration does not list is refused, named in the log, and reserves nothing', async () => {
  const engine = start()
  const id = await ask({ recipient: thief, amount: BALANCE })
  expect(await engine.inventory.available(wbtc)).toBe(BALANCE)
  for (let pass = 0; pass < 2; pass += 1)
    expect(await engine.pass()).toEqual([expect.stringContaining(`${thief} is not in withdrawals.addresses`)])
  expect(engine.logged.filter((line) => line.includes(thief) && line.includes(id))).toHaveLength(1)
  expect(await attemptsOf(id)).toEqual([])
  expect(solver.ethereum.payments).toEqual([])
})

test('a row whose recipient is changed after it was allowed is refused', async () => {
  const engine = start()
  const id = await ask()
  solver.ethereum.before.transfer = () => sql`update withdrawals set recipient = ${thief} where id = ${id}`.execute(store.db)
  // The facts are too old by now, so the row is read again before the signature counts.
  const clock = performance.now.bind(performance)
  solver.ethereum.before.sign = () => vi.spyOn(performance, 'now').mockImplementation(() => clock() + 40_000)
  expect(await engine.pass()).toEqual([expect.stringMatching(/was changed while it was prepared/)])
  expect(solver.ethereum.payments).toEqual([])
})

test('a row that names the action of another withdrawal makes nothing leave twice', async () => {
  const engine = start()
  const [first, second] = [await ask(), await ask()]
  expect(await engine.pass()).toEqual([])
  const swapped = sql`update withdrawals set action_key = concat('withdrawal/', ${second}::text) where id = ${first}`
  await expect(swapped.execute(store.db)).rejects.toThrow(/unique/)
  await sql`delete from withdrawals where id = ${second}`.execute(store.db)
  await swapped.execute(store.db)
  await engine.pass()
  expect(solver.ethereum.payments).toHaveLength(2)
})

test('without the setting nothing is sent, and the reason says how to allow it', async () => {
  const engine = start({ addresses: {} })
  const id = await ask()
  expect(await engine.pass()).toEqual([expect.stringMatching(/lists no address for withdrawals on ethereum_localnet: add "withdrawals"/)])
  expect(await attemptsOf(id)).toEqual([])
})

test('an address that the chain does not have is refused when the configuration is read', () => {
  expect(() => start({ addresses: { nowhere: [safe] } })).toThrow('withdrawals.addresses: nowhere is not in chains')
  expect(() => start({ addresses: { [CHAIN]: ['0x12'] } })).toThrow('withdrawals.addresses.ethereum_localnet: "0x12" is not an account')
  const own = 'fake1ownaddress'
  Object.assign(solver.bitcoin, { addressOf: () => own })
  expect(() => start({ addresses: { bitcoin_regtest: [own] } })).toThrow(`${own} is the address of the solver itself`)
})

test('the delay counts from when the solver saw the row, whatever time the row claims', async () => {
  const engine = start({ ...allowed, delay_seconds: 3600 })
  const id = await ask()
  await sql`update withdrawals set requested_at = now() - interval '1 year', not_before = to_timestamp(0)`.execute(store.db)
  expect(await engine.pass()).toEqual([expect.stringMatching(/^it is sent from /)])
  solver.world.now += 3599n
  expect(await engine.pass()).toHaveLength(1)
  solver.world.now += 1n
  expect(await engine.pass()).toEqual([])
  expect(await attemptsOf(id)).toHaveLength(1)
})

test('the limit of a day is counted on disk before the signature, so another process keeps it too', async () => {
  const limited = { ...allowed, max_usd_per_day: '1000' }
  const guard = guardInMemory()
  const first = await ask()
  expect(await start(limited, guard).pass()).toEqual([])
  const second = await ask()
  // 0.01 bitcoin is 600 dollars.
  const other = start(limited, guard)
  expect(await other.pass()).toEqual([expect.stringMatching(/worth 600.00 dollars, and 400.00 are left/)])
  expect([await stateNow(first), await stateNow(second)]).toEqual(['signed', 'requested'])
  await sql`update withdrawals set counted_at = counted_at - interval '25 hours' where counted_at is not null`.execute(store.db)
  expect(await other.pass()).toEqual([])
  expect(await stateNow(second)).toBe('signed')
})

test('what a funded order needs is not sent, and an order is not granted what is being sent', async () => {
  const engine = start()
  const order = await acceptedOrder(solver)
  const watch = async () => {
    for (const client of [solver.bitcoin, solver.ethereum])
      await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
  }
  await watch()
  solver.bitcoin.mine(sightingsOf(order.source.swapId).initiated(order.source.terms.amount))
  await watch()
  const tooMuch = await ask({ amount: BALANCE - 980_000n + 1n })
  expect(await engine.pass()).toEqual([expect.stringMatching(/9020000 of ethereum_localnet:wbtc can be sent, not 9020001/)])
  expect(await cancelWithdrawal(store.db, tooMuch)).toBe('cancelled')
  const rest = await ask({ amount: BALANCE - 980_000n })
  expect(await engine.pass()).toEqual([])
  expect(await stateNow(rest)).toBe('signed')
  expect(await engine.inventory.reserve({ orderId: order.id, asset: wbtc, amount: 980_000n })).toBeNull()
  expect(await engine.inventory.reserve({ orderId: order.id, asset: wbtc, amount: 980_001n })).toMatch(/too little/)
})

test('a process that dies after the record and before the broadcast: the next one sends the same transaction, once', async () => {
  const id = await ask()
  solver.ethereum.before.broadcast = () => {
    throw new Error('the process is killed')
  }
  const dead = start()
  expect(await dead.pass()).toEqual(['the process is killed'])
  const recorded = await attemptsOf(id)
  expect(recorded).toHaveLength(1)
  delete solver.ethereum.before.broadcast
  await dead.die()
  const next = start()
  expect(await next.pass()).toEqual([])
  expect(await attemptsOf(id)).toEqual(recorded)
  expect(solver.ethereum.payments.map(({ tx }) => tx)).toEqual(recorded.map(({ tx }) => tx))
})

test('a database that lost the record of a signed transfer: the release log keeps it from being sent twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-withdrawals-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const guardNow = async () => {
    const guard = await startRollbackGuard({ db: store.db, path: join(folder, 'releases.log'), log: testLog(() => undefined) })
    closing.unshift(() => guard.stop())
    return guard
  }
  const id = await ask()
  expect(await start(allowed, await guardNow()).pass()).toEqual([])
  await sql`delete from attempts`.execute(store.db)
  await sql`update withdrawals set counted_at = null`.execute(store.db)
  const after = start(allowed, await guardNow())
  expect(await after.pass()).toEqual([expect.stringMatching(/signed before, and the database has lost it/)])
  expect(solver.ethereum.payments).toHaveLength(1)
  expect(await attemptsOf(id)).toEqual([])
  await sql`delete from rollbacks`.execute(store.db)
})

test('a restored database that has the first transfer and lost a later one: nothing more is signed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-withdrawals-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const guardNow = async () => {
    const guard = await startRollbackGuard({ db: store.db, path: join(folder, 'releases.log'), log: testLog(() => undefined) })
    closing.unshift(() => guard.stop())
    return guard
  }
  const id = await ask()
  await sql`delete from release_logs`.execute(store.db)
  const before = start(allowed, await guardNow())
  expect(await before.pass()).toEqual([])
  // Its blockhash or epoch expired, and another was signed after the backup.
  const [first] = await attemptsOf(id)
  await sql`
    insert into attempts (action_key, number, chain, sender, tx, raw, slots, nonce, fee_rate, at, holds_secret)
    select action_key, number + 1, chain, sender, 'later', raw, slots, nonce, fee_rate, at, holds_secret from attempts`.execute(store.db)
  await before.pass()
  await sql`delete from attempts where tx = 'later'`.execute(store.db)
  const sends = vi.spyOn(transferOf(solver.ethereum), 'send')
  const after = start(allowed, await guardNow())
  for (let pass = 0; pass < 2; pass += 1) {
    expect(await after.pass()).toEqual([expect.stringMatching(/signed before, and the database has lost it/)])
    await sql`update rollbacks set confirmed_at = now()`.execute(store.db)
  }
  expect(sends).not.toHaveBeenCalled()
  expect(await attemptsOf(id)).toEqual([first])
  await sql`delete from rollbacks`.execute(store.db)
})

test('a transfer whose nonce is used has not failed if the database lost a later one of it', async () => {
  const guard = guardInMemory()
  const id = await ask()
  const engine = start(allowed, guard)
  expect(await engine.pass()).toEqual([])
  await guard.noteTransfer(`withdrawal/${id}`, 'later', 'the same')
  const failed = { kind: 'failed', why: 'its nonce was used', height: null } as const
  vi.spyOn(transferOf(solver.ethereum), 'outcome').mockResolvedValue(failed)
  solver.ethereum.grow(finality())
  expect(await engine.pass()).toEqual([expect.stringMatching(/the transfer later of it was signed before/)])
  expect(await stateNow(id)).toBe('signed')
})

test('a row whose amount is changed after it was signed is refused', async () => {
  const engine = start({ ...allowed, max_usd_per_day: '1000' })
  const id = await ask()
  expect(await engine.pass()).toEqual([])
  await sql`update withdrawals set amount = ${BALANCE.toString()}::numeric where id = ${id}`.execute(store.db)
  const sends = vi.spyOn(transferOf(solver.ethereum), 'send')
  expect(await engine.pass()).toEqual([expect.stringMatching(/was changed after it was signed/)])
  expect(sends).not.toHaveBeenCalled()
})

test('the delay counts from when the solver saw what the row says now', async () => {
  const engine = start({ ...allowed, delay_seconds: 3600 })
  const id = await ask({ amount: 1n })
  expect(await engine.pass()).toEqual([expect.stringMatching(/^it is sent from /)])
  solver.world.now += 3600n
  await sql`update withdrawals set amount = ${BALANCE.toString()}::numeric where id = ${id}`.execute(store.db)
  expect(await engine.pass()).toEqual([expect.stringMatching(/^it is sent from /)])
  expect(solver.ethereum.payments).toEqual([])
})

test('forged rows to other addresses do not make the delay begin again', async () => {
  const engine = start({ ...allowed, delay_seconds: 3600 })
  const id = await ask()
  expect(await engine.pass()).toEqual([expect.stringMatching(/^it is sent from /)])
  const own = await readWithdrawal(store.db, id)
  if (own === null) throw new Error('the wish is gone')
  for (let forged = 0; forged < 10_001; forged += 1) engine.rules.noteSeen({ ...own, id: `forged ${forged}`, recipient: thief })
  solver.world.now += 3600n
  expect(await engine.pass()).toEqual([])
  expect(await attemptsOf(id)).toHaveLength(1)
})

test('of several wishes that are together more than there is, one is sent', async () => {
  const engine = start()
  await ask({ amount: 6_000_000n })
  await ask({ amount: 6_000_000n })
  expect(await engine.pass()).toEqual([expect.stringMatching(/4000000 of ethereum_localnet:wbtc can be sent, not 6000000/)])
  expect(solver.ethereum.payments).toHaveLength(1)
})

test('a row with a negative amount promises nothing to anybody', async () => {
  const engine = start()
  await ask({ amount: -BALANCE })
  expect(await engine.inventory.available(wbtc)).toBe(BALANCE)
  expect((await engine.inventory.free(wbtc)).free).toBe(BALANCE)
})

test('one can be cancelled until it is signed, and not after', async () => {
  const engine = start()
  const first = await ask()
  expect(await cancelWithdrawal(store.db, first)).toBe('cancelled')
  expect(await engine.pass()).toEqual([])
  expect(await stateNow(first)).toBe('cancelled')
  expect(await engine.inventory.available(wbtc)).toBe(BALANCE)
  const second = await ask()
  await engine.pass()
  expect(await cancelWithdrawal(store.db, second)).toBe('signed')
  expect(await stateNow(second)).toBe('signed')
  expect(await cancelWithdrawal(store.db, 'none')).toBe('unknown')
})

test('a repeated evacuation follows what is under way, and asks only for what became free since', async () => {
  const engine = start()
  const planned = async () => (await engine.plan()).find(({ asset }) => asset === wbtc)
  const first = await planned()
  expect(first).toMatchObject({ amount: BALANCE, recipient: safe, open: [] })
  const ids = await requestWithdrawals(store.db, [{ chain: CHAIN, asset: wbtc, recipient: safe, amount: first?.amount ?? 0n }])
  expect(await planned()).toMatchObject({ amount: 0n, open: ids })
  await engine.pass()
  expect(await planned()).toMatchObject({ amount: 0n, open: ids })
  minePayments()
  await engine.pass()
  solver.hold(wbtc, 5n)
  expect(await planned()).toMatchObject({ amount: 5n, open: ids })
  solver.ethereum.grow(finality())
  await engine.pass()
  expect(await planned()).toMatchObject({ amount: 5n, open: [] })
})

test('what stays is named: funded orders, and chains without an address', async () => {
  const engine = start()
  await acceptedOrder(solver)
  const plan = await engine.plan()
  expect(plan.find(({ chain }) => chain === 'bitcoin_regtest')).toMatchObject({
    amount: 0n,
    staying: [{ amount: BALANCE, why: 'no address is listed' }],
  })
})
