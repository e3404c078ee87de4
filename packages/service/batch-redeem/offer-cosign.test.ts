/** The service offers to cosign a redeem of the source only once the user's redeem is final. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createMemoryChain, type MemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { registry } from '@tandem/party/engine/engine.fixture.ts'
import { loadFacts } from '@tandem/party/engine/facts.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { recordOwnFill } from '@tandem/party/store/orders/fills.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { type ExampleChanges, NOW, putOrder, sightingsOf, storedOrder, VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import type { SolverCosigned, SolverCosignRequest } from '@tandem/protocol/wire/solver.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { completeSettings } from '../context.ts'
import type { SyncContext } from '../solver-sync/solver-sync.ts'
import { startFakeSolver } from '../testing/fake-solver.fixture.ts'
import { createCosignTasks } from './offer-cosign.ts'

const FINALITY = 12
const store = sharedStore()
const solver = opened(() => startFakeSolver('solver'))
let bitcoin: MemoryChain
let ethereum: MemoryChain
let context: SyncContext
let order: Order
let secret: string
let offered: SolverCosignRequest[]
let completed: SolverCosigned[]
const vault = createVault(VAULT_KEY)
beforeEach(async () => {
  for (const table of ['sealed_values', 'events', 'blocks', 'leases', 'fills', 'swaps', 'orders'] as const)
    await store.db.deleteFrom(table).execute()
  bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  ethereum = createMemoryChain('ethereum_localnet', NOW)
  offered = []
  completed = []
  solver.onCosign = (request) => {
    offered.push(request)
    return { status: 200, body: { solver_id: 'solver', draft: 'draft' } }
  }
  solver.onCosigned = (request) => {
    completed.push(request)
    return { status: 200, body: { solver_id: 'solver' } }
  }
  const cosignedRedeem: NonNullable<ChainClient['cosignedRedeem']> = {
    send: async () => 'not asked for',
    isOffer: async () => true,
    draft: async () => {
      throw new Error('not asked for')
    },
    cosign: async (items) => ({
      offers: items.map(({ deposits }) => `offer for ${deposits.length}`),
      finish: async (draft) => ({
        transaction: `complete ${draft}`,
        deposits: items.flatMap(({ deposits }) => deposits.map(({ id }) => id)),
      }),
    }),
    verify: async () => undefined,
  }
  context = {
    db: store.db,
    registry,
    clients: new Map<string, ChainClient>([
      ['bitcoin_regtest', { ...bitcoin, cosignedRedeem }],
      ['ethereum_localnet', ethereum],
    ]),
    solvers: [solver.client],
    vault,
    prices: createStaticFeed({}),
    settings: completeSettings({ environment: 'local' }),
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => NOW,
    wake: () => undefined,
  }
})

const watch = async () => {
  for (const client of [bitcoin, ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
/** Afterwards both legs are initiated, the solver has signed the fill, and the newest block redeems the destination. */
async function redeemed(changes: ExampleChanges = {}): Promise<void> {
  secret = createSecret()
  order = (await putOrder(store.db, { secret, ...changes })).order
  await vault.put(store.db, order.id, 'source-key', '33'.repeat(32))
  await watch()
  bitcoin.mine(sightingsOf(order.source.swapId).initiated())
  ethereum.mine(sightingsOf(order.destination.swapId).initiated())
  const fill = { deposits: [`deposit of ${order.source.swapId}`], blockHash: '', destinationAmount: order.destination.terms.amount }
  await recordOwnFill(store.db, order.id, fill, { amount: fill.destinationAmount, swapId: order.destination.swapId }, '00')
  ethereum.mine(sightingsOf(order.destination.swapId).redeemed(secret))
  await watch()
}
async function statesOfOrder(id = order.id) {
  const stored = await storedOrder(store.db, id)
  return (await loadFacts(store.db, context.registry, [stored], NOW)).map(deriveOrder)
}
async function due(source = createCosignTasks(context, { gatherMs: 0 })) {
  return source(await statesOfOrder())
}
const runAll = async (source = createCosignTasks(context, { gatherMs: 0 }), nowMs?: number) => {
  for (const { dueAtMs = 0, run } of await due(source)) if (dueAtMs <= (nowMs ?? Date.now())) await run()
}

test("once the user's redeem is final, the solver gets a transaction that both have signed", async () => {
  await redeemed()
  ethereum.grow(FINALITY - 1)
  await watch()
  await runAll()
  expect(offered).toEqual([
    {
      items: [
        {
          order_id: order.id,
          deposits: [{ id: `deposit of ${order.source.swapId}`, amount: '100000000' }],
          offer: 'offer for 1',
        },
      ],
    },
  ])
  expect(completed).toEqual([{ order_ids: [order.id], transaction: 'complete draft' }])
})

test('waits a second for others that become final, and offers them together', async () => {
  await redeemed()
  ethereum.grow(FINALITY)
  await watch()
  let nowMs = 1_000_000
  const source = createCosignTasks(context, { nowMs: () => nowMs, gatherMs: 1_000 })
  const [first] = await statesOfOrder()
  if (first === undefined) throw new Error('the order is gone')
  const second = { ...first, order: { ...first.order, id: 'another order' } }
  const [early] = source([first])
  expect(early).toMatchObject({ orderIds: [order.id], dueAtMs: nowMs + 1000 })
  nowMs += 900
  const [both] = source([second])
  expect(both).toMatchObject({ orderIds: [order.id, 'another order'], dueAtMs: nowMs + 100 })
  await both?.run()
  expect(offered.map(({ items }) => items.map((item) => item.order_id))).toEqual([[order.id]])
  expect(source([second])[0]).toMatchObject({ orderIds: ['another order'], dueAtMs: nowMs + 1000 })
})

test('offers an order at most once a minute', async () => {
  await redeemed()
  ethereum.grow(FINALITY)
  await watch()
  const source = createCosignTasks(context, { gatherMs: 0 })
  await runAll(source)
  await runAll(source)
  expect(offered).toHaveLength(1)
})

describe('no offer', () => {
  test("while a reorg could undo the user's redeem", async () => {
    await redeemed()
    ethereum.grow(FINALITY - 2)
    await watch()
    expect(await due()).toEqual([])
  })

  test('when the chain does not confirm the stored events', async () => {
    await redeemed()
    ethereum.grow(FINALITY)
    await watch()
    const tasks = await due()
    expect(tasks).toHaveLength(1)
    ethereum.drop(FINALITY + 1)
    ethereum.grow(FINALITY + 5)
    await Promise.allSettled(tasks.map((task) => task.run()))
    expect(offered).toEqual([])
  })

  test.each([
    { rows: 'a redeem that was forged', isRedeemed: false },
    { rows: 'a redeem that was moved to an older block', isRedeemed: true },
  ])('for $rows', async ({ isRedeemed }) => {
    await redeemed()
    if (!isRedeemed) {
      ethereum.drop(1)
      ethereum.grow(2)
      await watch()
      const { swapId } = order.destination
      await sql`insert into events (chain, tx, index, swap_id, kind, deposit, block_height, block_hash, block_time)
        select chain, 'forged', index, swap_id, 'redeemed', deposit, block_height, block_hash, block_time
        from events where swap_id = ${swapId}`.execute(store.db)
    }
    const [old] = await ethereum.headers([(await ethereum.tip()).height - 20n])
    await sql`update events set block_height = ${old?.height}, block_hash = ${old?.hash}, block_time = ${old?.time} where kind = 'redeemed'`.execute(
      store.db,
    )
    const tasks = await due()
    expect(tasks).toHaveLength(1)
    for (const task of tasks) await task.run()
    expect(offered).toEqual([])
  })

  test('for a payment whose row somebody changed, and the others of its batch are offered', async () => {
    await redeemed()
    const changed = order
    await redeemed()
    ethereum.grow(FINALITY)
    await watch()
    const states = [...(await statesOfOrder()), ...(await statesOfOrder(changed.id))]
    await sql`update swaps set redeemer = 'somebody else' where order_id = ${changed.id} and leg = 'destination'`.execute(store.db)
    for (const task of createCosignTasks(context, { gatherMs: 0 })(states)) await task.run()
    expect(offered.map(({ items }) => items.map((item) => item.order_id))).toEqual([[order.id]])
  })

  test('when the chain shows newer events', async () => {
    await redeemed()
    ethereum.grow(FINALITY)
    await watch()
    const tasks = await due()
    expect(tasks).toHaveLength(1)
    bitcoin.mempool = [{ ...sightingsOf(order.source.swapId).redeemed(secret), block: null }]
    for (const task of tasks) await task.run()
    expect(offered).toEqual([])
  })

  test("when the user keeps the source's key", async () => {
    await redeemed({ source: { clientKey: true } })
    ethereum.grow(FINALITY)
    await watch()
    expect(await due()).toEqual([])
  })

  test('for a source that is redeemed already', async () => {
    await redeemed()
    ethereum.grow(FINALITY)
    bitcoin.mempool = [{ ...sightingsOf(order.source.swapId).redeemed(secret), block: null }]
    await watch()
    expect(await due()).toEqual([])
  })

  test('when deposits of the signed fill are missing', async () => {
    await redeemed()
    await store.db.updateTable('fills').set({ signature: null }).execute()
    ethereum.grow(FINALITY)
    await watch()
    expect(await due()).toEqual([])
  })
})

test('sends no completed transaction when the solver returns no draft', async () => {
  await redeemed()
  ethereum.grow(FINALITY)
  await watch()
  solver.onCosign = () => ({ status: 200, body: { solver_id: 'solver', draft: null } })
  await runAll()
  expect(completed).toEqual([])
})

test('an order that the solver did not draft is offered again a second later, then after longer pauses', async () => {
  await redeemed()
  ethereum.grow(FINALITY)
  await watch()
  let nowMs = 1_000_000
  const source = createCosignTasks(context, { nowMs: () => nowMs, gatherMs: 0 })
  solver.onCosign = (request) => {
    offered.push(request)
    return { status: 200, body: { solver_id: 'solver', draft: null } }
  }
  for (const [waitMs, offers] of [
    [0, 1],
    [999, 1],
    [1, 2],
    [1_999, 2],
    [1, 3],
  ] as const) {
    nowMs += waitMs
    await runAll(source, nowMs)
    expect(offered).toHaveLength(offers)
  }
})
