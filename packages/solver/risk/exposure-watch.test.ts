import { environments } from '@tandem/families/registry.ts'
import { setAdmitted } from '@tandem/party/store/solver/in-flight.ts'
import { openTestStore, type TestStore } from '@tandem/party/store/store.fixture.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptOrder } from '../orders.ts'
import { caller, openSolver, orderRequest, wbtc } from '../solver.fixture.ts'
import { startExposureWatch } from './exposure-watch.ts'
import { riskSettings } from './settings.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

test('every chain of the main networks has a limit, and an operator may set another', async () => {
  const { chains } = environments.mainnet
  const { unfinalCap } = riskSettings({ unfinal_usd: { bitcoin: '12.5' } })
  for (const chain of chains) expect(unfinalCap(chain), chain.id).toBeGreaterThan(0n)
  const [bitcoin, litecoin] = ['bitcoin', 'litecoin'].map((id) => chains.find((chain) => chain.id === id))
  if (bitcoin === undefined || litecoin === undefined) throw new Error('there is no bitcoin')
  expect(unfinalCap(bitcoin)).toBe(12_500_000n)
  expect(riskSettings().unfinalCap(bitcoin)).toBe(300_000_000_000n)
  // Six confirmations there cost a miner a tenth of two on Bitcoin.
  expect(unfinalCap(litecoin)).toBe(30_000_000_000n)
})

test('more than what is left is not quoted', async () => {
  const watch = startExposureWatch({
    db: store.db,
    chains: environments.mainnet.chains,
    capOf: riskSettings().unfinalCap,
    unrevealedMost: 1n,
    log: createLogger({ name: 'test', level: 'silent' }),
    refreshMs: 3_600_000,
  })
  watch.assertRoom('bitcoin', 300_000_000_000n)
  expect(() => watch.assertRoom('bitcoin', 300_000_000_001n)).toThrow('too much from bitcoin is not final yet')
  await watch.stop()
})

test('a payment whose secret its client keeps counts as soon as its order is admitted, as a share of what may wait', async () => {
  const { context } = await openSolver(store)
  /** 980,000 of wrapped bitcoin at 60,000 dollars. */
  const worth = 588_000_000n
  const { unrevealedMost } = riskSettings({ unrevealed_usd: '1764' })
  const watch = startExposureWatch({
    db: store.db,
    chains: context.registry.chains,
    capOf: () => null,
    unrevealedMost,
    log: createLogger({ name: 'test', level: 'silent' }),
    refreshMs: 3_600_000,
  })
  const waiting = async () => {
    await watch.refresh()
    return [watch.unrevealed(), watch.unrevealedPercent()]
  }
  const requests = [orderRequest({ client_secret: true }), orderRequest()]
  for (const request of requests) {
    await acceptOrder(context, request, caller)
    expect(await context.inventory.reserve({ orderId: request.order_id, asset: wbtc, amount: 980_000n })).toBeNull()
  }
  expect(await waiting()).toEqual([0n, 0n])
  await setAdmitted(
    store.db,
    requests.map(({ order_id }) => order_id),
    true,
  )
  expect(await waiting()).toEqual([worth, 34n])
  await watch.stop()
})
