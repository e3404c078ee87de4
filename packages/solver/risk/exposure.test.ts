/** Tests how much a solver has at risk on a chain. */
import { environments } from '@tandem/families/registry.ts'
import { readCursor, recordPoll } from '@tandem/party/store/chain/events.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { type InFlight, readInFlight, setAdmitted } from '@tandem/party/store/solver/in-flight.ts'
import { blockOf, closeAnyway, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { expect, test } from 'vitest'
import { acceptOrder } from '../orders.ts'
import { acceptedOrder, caller, freshSolver, openSolver, orderRequest, wbtc } from '../solver.fixture.ts'
import { unrevealed } from './exposure.ts'
import { startExposureWatch } from './exposure-watch.ts'
import { rebalancingHints, type Stock } from './rebalance.ts'
import { riskSettings } from './settings.ts'

type Changes = {
  readonly admitted?: boolean
  readonly clientSecret?: boolean
  readonly paid?: boolean
  readonly settled?: 'source' | 'destination'
}

function flight({ admitted = true, clientSecret = true, paid = true, settled }: Changes = {}): InFlight {
  return {
    orderId: 'order',
    admitted,
    usdMicros: 7n,
    clientSecret,
    source: { chain: 'here', asset: 'here:coin', isSpent: settled === 'source', block: null },
    destination: { chain: 'there', asset: 'there:coin', amount: 5n, isPaid: paid, isSpent: settled === 'destination' },
  }
}

test.each<[string, Changes, bigint]>([
  ['whose secret its client keeps', {}, 7n],
  ['that is admitted and not mined', { paid: false }, 7n],
  ['that is not admitted', { admitted: false }, 0n],
  ['whose secret the service keeps', { clientSecret: false }, 0n],
  ['whose source is redeemed', { settled: 'source' }, 0n],
  ['that is redeemed or refunded', { settled: 'destination' }, 0n],
])('of a payment %s, so much waits for a secret', (_, changes, worth) => {
  expect(unrevealed([flight(changes)])).toBe(worth)
  expect(unrevealed([flight(), flight(changes)])).toBe(7n + worth)
})

const store = sharedStore()

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
    unrevealedCap: 1n,
    log: createLogger({ name: 'test', level: 'silent' }),
    refreshMs: 3_600_000,
  })
  watch.assertBelowUnfinalCap('bitcoin', 300_000_000_000n)
  expect(() => watch.assertBelowUnfinalCap('bitcoin', 300_000_000_001n)).toThrow('too much from bitcoin is not final yet')
  await watch.stop()
})

test('a payment whose secret its client keeps counts as soon as its order is admitted, as a share of what may wait', async () => {
  const { context } = await openSolver(store)
  /** This is 980,000 of wrapped bitcoin at 60,000 dollars. */
  const worth = 588_000_000n
  const { unrevealedCap } = riskSettings({ unrevealed_usd: '1764' })
  const watch = startExposureWatch({
    db: store.db,
    chains: context.registry.chains,
    capOf: () => null,
    unrevealedCap,
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

const solver = freshSolver(store)

const accept = () => acceptedOrder(solver)
const reserve = (orderId: string) => solver.context.inventory.reserve({ orderId, asset: wbtc, amount: 980_000n })
const flights = () => readInFlight(store.db)

test('an order is in flight from when inventory is reserved for it until it is closed', async () => {
  const { id } = await accept()
  expect(await flights()).toEqual([])
  await reserve(id)
  expect(await flights()).toMatchObject([
    { orderId: id, admitted: false, usdMicros: 588_000_000n, source: { isSpent: false, block: null } },
  ])
  await closeAnyway(store.db, id)
  expect(await flights()).toEqual([])
})

test('its source is as final as the newest deposit: once the solver has signed, of those alone that it signed for', async () => {
  const { id, source } = await accept()
  await reserve(id)
  const { chain } = source
  const part = (name: string): HtlcEvent => ({ ...sightingsOf(source.swapId).initiated(), tx: name, deposit: name })
  const poll = async (height: bigint, name: string, ...unconfirmed: readonly HtlcEvent[]) => {
    const block = blockOf(height)
    const after = await readCursor(store.db, chain)
    await recordPoll(store.db, { chain, after, blocks: [block], events: [{ ...part(name), block }], unconfirmed })
    return (await flights())[0]?.source.block?.height ?? null
  }
  expect(await poll(5n, 'first')).toBe(5n)
  expect(await poll(7n, 'second')).toBe(7n)
  expect(await poll(8n, 'third', part('dust'))).toBeNull()
  await store.db
    .insertInto('fills')
    .values({ order_id: id, deposits: ['first', 'second'], block_hash: '', destination_amount: 980_000n, signature: '00' })
    .execute()
  expect((await flights())[0]?.source.block?.height).toBe(7n)
})

const stock = (chain: string, symbol: string, balance: bigint, changes: Partial<Stock> = {}): Stock => ({
  asset: `${chain}:${symbol.toLowerCase()}`,
  chain,
  symbol,
  decimals: 8,
  balance,
  target: null,
  ...changes,
})

test('money that runs low on one chain is moved from the chain that has most to spare', () => {
  const stocks = [stock('a', 'WBTC', 100_000_000n), stock('b', 'WBTC', 700_000_000n), stock('c', 'WBTC', 400_000_000n)]
  expect(rebalancingHints(stocks)).toEqual(['a:wbtc runs low: 1; move 3 from b'])
  expect(rebalancingHints([stock('a', 'USDC', 3n), stock('b', 'USDC', 5n)])).toEqual([])
})

test('decimals may differ, and no more is moved than there is to spare', () => {
  const stocks = [
    stock('a', 'BTC', 0n, { target: 500_000_000n }),
    stock('b', 'BTC', 3n * 10n ** 18n, { decimals: 18, target: 10n ** 18n }),
    stock('c', 'BTC', 0n, { target: 100_000_000n }),
  ]
  expect(rebalancingHints(stocks)).toEqual(['a:btc runs low: 0; move 2 from b', 'c:btc runs low: 0; buy 1'])
})

test('an asset below half of its target is to be bought if there is no other', () => {
  expect(rebalancingHints([stock('a', 'SOL', 49n, { target: 100n, decimals: 0 })])).toEqual(['a:sol runs low: 49; buy 51'])
  expect(rebalancingHints([stock('a', 'SOL', 50n, { target: 100n, decimals: 0 })])).toEqual([])
})
