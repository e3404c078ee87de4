/** Tests the rent that settled HTLCs keep: from the end of the order through the playbook to the transaction that returns it. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { actionKey, type Leg, type Role } from '@tandem/protocol/order.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { beforeEach, expect, test } from 'vitest'
import { leaseAction, readAction } from '../store/actions/actions.ts'
import { finishAction } from '../store/actions/finish-action.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW } from '../store/store.fixture.ts'
import { type EngineFixture, openEngineFixture } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { reconcile } from './reconciler.ts'

const rentChain = 'ethereum_localnet'
const registry = createRegistry({
  chains: localChains.map((chain) => (chain.id === rentChain ? { ...chain, settledHtlcKeepsRent: true } : chain)),
  assets: localAssets,
  deployments: {},
  served: new Set(localChains.map((chain) => chain.id)),
})
const secondsToWait = 1800n

const store = sharedStore()
let fixture: EngineFixture
let now: bigint
let keptUntil: bigint | null
let asked: HtlcTerms[]

async function finishOrder(leg: Leg): Promise<void> {
  const chains = leg === 'source' ? [rentChain, 'bitcoin_regtest'] : ['bitcoin_regtest', rentChain]
  fixture = await openEngineFixture(store, { source: { chain: chains[0] ?? '' }, destination: { chain: chains[1] ?? '' } })
  Object.assign(fixture.ethereum, { rent: { keptUntil: async () => keptUntil, giveBack } })
  await fixture.watch()
  await fixture.fund('source', 'destination')
  for (const each of ['destination', 'source'] as const) fixture.chainOf(each).mine(fixture.events(each).redeem)
  await fixture.watch()
}

async function giveBack(terms: HtlcTerms, outbox: Outbox): Promise<string> {
  asked.push(terms)
  expect(outbox.secondsLeft).toBeNull()
  await outbox.withKey(async ({ signer, record }) => {
    const { id } = fixture.order
    const leg = fixture.order.source.chain === rentChain ? 'source' : 'destination'
    expect(signer.purpose).toEqual(orderPurpose(rentChain, { order: id, leg, verb: 'close', terms }))
    if (outbox.attempts.length === 0) await record({ tx: 'closing', raw: '0x', slots: [], feeRate: 1n })
  })
  return 'closing'
}

async function passFinality(): Promise<void> {
  for (const chain of [fixture.bitcoin, fixture.ethereum]) chain.grow(registry.chain(chain.chain.id).finalityBlocks + 1)
  await fixture.watch()
}

beforeEach(() => {
  now = NOW
  keptUntil = NOW + secondsToWait
  asked = []
})

const decide = (role: Role) => reconcile({ db: store.db, registry, party: { role } }, now)
const isWanted = async (leg: Leg) => (await readAction(store.db, actionKey(fixture.order.id, leg, 'close')))?.wanted ?? false
async function execute(role: Role) {
  const leased = await leaseAction(store.db, 'engine', 60)
  if (leased === null) return null
  const result = await executeAction({ ...fixture.context(role), registry, now: () => now }, leased)
  await finishAction(store.db, leased, 'againInMs' in result ? { ...result, againInMs: 0 } : result)
  return result
}

test.each([
  ['service', 'source'],
  ['solver', 'destination'],
] as const)(
  'the %s returns the rent of the %s once the order is finished and its time has come, and then forgets it',
  async (role, leg) => {
    await finishOrder(leg)
    await decide(role)
    expect(await isWanted(leg)).toBe(false)
    await passFinality()
    // The order changed just now, so it is derived again some seconds later.
    now += 2n
    await decide(role)
    expect(await isWanted(leg)).toBe(true)
    expect((await findOrder(store.db, fixture.order.id))?.closed).toBe(true)

    // The time is that of the newest block, which is ahead of our clock here.
    const ahead = (await fixture.ethereum.tip()).time - NOW
    expect(await execute(role)).toEqual({ kind: 'skipped', againInMs: Number(secondsToWait - ahead) * 1000 })
    expect(asked).toEqual([])
    now += secondsToWait
    expect(await execute(role)).toMatchObject({ kind: 'sent', tx: 'closing' })
    expect(asked).toEqual([fixture.order[leg].terms])
    keptUntil = null
    expect(await execute(role)).toEqual({ kind: 'finished' })
    expect(await isWanted(leg)).toBe(false)
    expect(await execute(role)).toBeNull()
  },
)

test.each([
  ['solver', 'source'],
  ['service', 'destination'],
] as const)('the %s leaves the rent of the %s to the other party', async (role, leg) => {
  await finishOrder(leg)
  await passFinality()
  await decide(role)
  expect(await isWanted(leg)).toBe(false)
})

test('somebody else closed it: nothing is signed', async () => {
  await finishOrder('source')
  await passFinality()
  await decide('service')
  keptUntil = null
  expect(await execute('service')).toEqual({ kind: 'finished' })
  expect(asked).toEqual([])
})

test('a node that does not answer delays it, and it stays wanted', async () => {
  await finishOrder('source')
  await passFinality()
  await decide('service')
  Object.assign(fixture.ethereum.rent ?? {}, { keptUntil: () => Promise.reject(new ChainFailure('unreachable', 'silent')) })
  expect(await execute('service')).toMatchObject({ kind: 'failed', error: 'silent' })
  expect(await isWanted('source')).toBe(true)
})
