/** Tests the SDK against a service that lies about prices, orders and refunds. */
import { family } from '@tandem/evm/browser/index.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { expect, test, vi } from 'vitest'
import { randomKeys } from '../keys/keys.ts'
import { createHostileService, quote, request } from './hostile-service.fixture.ts'
import { verifyAndPay } from './pay.ts'
import { makeOrder, quoteFor, type SwapRequest } from './prepare.ts'
import { receive } from './receive.ts'
import { refund } from './refund.ts'
import { resumeSwap, runSwap } from './run.ts'
import { loadSwap } from './saved-swap.ts'
import { memoryStorage, type SwapStorage } from './storage.ts'

const nodes = { bitcoin_regtest: 'http://esplora', ethereum_localnet: 'http://rpc' }
const fresh = { gasless: false, created: null }
const redeemed = { tx: 'a hash of nothing', isSeen: true }

/** The newest block, as an Esplora shows it. */
const tipAt = (height: number, timestamp = Math.floor(Date.now() / 1000)) => ({
  hash: () => 'newest',
  newest: () => ({ height, timestamp }),
})

async function paidSwap() {
  const service = await createHostileService(nodes)
  const { saved, created } = await makeOrder(service.context, request, quote, service.wallet)
  await verifyAndPay(service.context, saved, service.wallet, { gasless: false, created })
  return { ...service, saved: await loadSwap(service.context, saved.orderId) }
}

test('a price that is worse than the user agreed to is refused', async () => {
  const { context } = await createHostileService(nodes)
  expect(await quoteFor(context, { ...request, minToAmount: 990_000n })).toBe(quote)
  const field = 'quote.destination.amount'
  await expect(quoteFor(context, { ...request, minToAmount: 990_001n })).rejects.toMatchObject({ name: 'VerificationError', field })
  const { fromAmount: _, ...exactOut } = { ...request, toAmount: 990_000n }
  await expect(quoteFor(context, { ...exactOut, maxFromAmount: 999_999n })).rejects.toMatchObject({ field: 'quote.source.amount' })
})

test.each([
  ['the user', undefined, true],
  ['the service', 'service', undefined],
] as const)('a price for a secret that %s keeps is asked for as such', async (_, secret, asked) => {
  const { context } = await createHostileService(nodes)
  const ask = vi.fn<typeof context.client.quote>(context.client.quote)
  await quoteFor({ ...context, client: { ...context.client, quote: ask } }, { ...request, ...(secret !== undefined && { secret }) })
  expect(ask.mock.calls[0]?.[0].client_secret).toBe(asked)
})

test.each([
  ['less than the user’s own limit', { amount: '984999' }, 'destination_swap.amount'],
  ['a fee of the payout that leaves less than the limit', { network_fee: '5001' }, 'destination_swap.network_fee'],
  ['exactly the limit', { amount: '985000' }, null],
])('whatever slippage is given, an order of %s', async (_, told, field) => {
  const { context, wallet, answers, paid } = await createHostileService(nodes)
  const limited = { ...request, minToAmount: 985_000n, slippage: 100 }
  const { createOrder } = context.client
  const asked = vi.fn<typeof createOrder>((body, given) =>
    createOrder({ ...body, destination: { ...body.destination, ...('amount' in told && told) } }, given),
  )
  const client = { ...context.client, createOrder: asked }
  const { saved, created } = await makeOrder({ ...context, client }, limited, { ...quote, slippage: 100 }, wallet)
  // 50 bips of 990,000 are 4,950: the service is told of no more, and refuses too.
  expect(asked.mock.calls[0]?.[0]).toMatchObject({ slippage: 50, destination: { amount: '990000' } })
  const { record } = answers
  if (record === null) throw new Error('no order')
  answers.record = { ...record, destination_swap: { ...record.destination_swap, ...('network_fee' in told && told) } }
  const paying = verifyAndPay(context, saved, wallet, { gasless: false, created })
  if (field === null) await paying
  else await expect(paying).rejects.toMatchObject({ name: 'VerificationError', field })
  expect(paid).toHaveLength(field === null ? 1 : 0)
})

test('swaps that begin at the same time have different secrets', async () => {
  const keys = randomKeys(memoryStorage())
  const indexes = await Promise.all(Array.from({ length: 50 }, () => keys.nextIndex()))
  expect(new Set(indexes).size).toBe(50)
  expect(indexes.every(Number.isSafeInteger)).toBe(true)
})

test('an order with the id of an earlier swap does not replace what that one needs for its refund', async () => {
  const { context, wallet, saved } = await paidSwap()
  await expect(makeOrder(context, request, quote, wallet)).rejects.toMatchObject({ name: 'VerificationError', field: 'order_id' })
  expect(await loadSwap(context, saved.orderId)).toEqual(saved)
})

test('a deposit whose key only the service has is not paid; after a reload the kept package counts', async () => {
  const service = await createHostileService({})
  const { context, wallet, answers, paid } = service
  const held = { ...request, secret: 'service' } as const
  answers.withPackage = false
  const without = await makeOrder(context, held, quote, wallet)
  await expect(verifyAndPay(context, without.saved, wallet, { gasless: false, created: without.created })).rejects.toMatchObject({
    field: 'refund_package',
  })
  await expect(verifyAndPay(context, without.saved, wallet, fresh)).rejects.toMatchObject({ field: 'refund_package' })
  expect(paid).toEqual([])
  Object.assign(answers, { orderId: 'ef'.repeat(32), withPackage: true })
  const { saved } = await makeOrder(context, held, quote, wallet)
  await verifyAndPay(context, saved, wallet, fresh)
  expect(paid).toHaveLength(1)
})

test('an order of the future is not paid: on chains with absolute timelocks its refund would wait as long', async () => {
  const { context, wallet, answers, paid } = await createHostileService(nodes)
  const { saved, created } = await makeOrder(context, request, quote, wallet)
  const year = 31_536_000
  const { record } = answers
  if (record === null) throw new Error('no order')
  const createdAt = new Date(Date.parse(record.created_at) + 10 * year * 1000).toISOString()
  answers.record = { ...record, created_at: createdAt, deadline: record.deadline + 10 * year }
  await expect(verifyAndPay(context, saved, wallet, { gasless: false, created })).rejects.toMatchObject({ field: 'deadline' })
  expect(paid).toEqual([])
})

test('the user’s own secret needs a node that shows the lock, and brings the user’s own key', async () => {
  const { context, wallet, answers } = await createHostileService({})
  await expect(makeOrder(context, request, quote, wallet)).rejects.toThrow(/without a node of ethereum_localnet/)
  expect(answers.record).toBeNull()
  const withLock = await createHostileService({ ethereum_localnet: 'http://rpc' })
  const { saved } = await makeOrder(withLock.context, request, quote, wallet)
  expect(saved.ownKeys).toEqual(['source'])
  const resumed = { ...withLock.context, options: { ...withLock.context.options, nodes: {} } }
  const record = await withLock.context.client.order(saved.orderId)
  await expect(receive(resumed, saved, record)).rejects.toThrow(/only for a lock that the SDK has seen/)
  expect(withLock.answers.redeems).toBe(0)
})

test('a refund with the user’s own key needs no answer of the service', async () => {
  const { context, answers, chain, saved, paid } = await paidSwap()
  answers.isAlive = false
  const utxo = { txid: '11'.repeat(32), vout: 0, value: 1_000_000, status: { confirmed: true, block_height: 1 } }
  const asked: string[] = []
  const originalFetch = context.options.fetch
  const counting: typeof fetch = async (url, init) => {
    asked.push(String(url))
    return (originalFetch ?? fetch)(url, init)
  }
  Object.assign(chain, {
    utxo: () => [utxo],
    [utxo.txid]: () => ({ vin: [{ is_coinbase: false }] }),
    'fee-estimates': () => ({ 3: 1 }),
    tx: () => 'refunded',
    mempool: () => [],
    ...tipAt(1000),
  })
  expect(await refund({ ...context, options: { ...context.options, fetch: counting } }, saved.orderId)).toBe('refunded')
  expect(asked[0]).toContain(`/address/${paid[0]}/`)
})

test('a service that takes the secret and does not redeem is found out in time', async () => {
  const { context, chain, saved, answers, wallet } = await paidSwap()
  const record = await context.client.order(saved.orderId)
  const now = Math.floor(Date.now() / 1000)
  const hex = (value: number) => `0x${value.toString(16)}`
  const state = { startedAt: now - 5 }
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(now) })
  chain.eth_call = () => hex(state.startedAt)
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const waiting = receive(context, saved, record)
    waiting.catch(() => undefined)
    await vi.waitUntil(() => answers.redeems > 0, { timeout: 60_000 })
    vi.setSystemTime(Date.now() + 3_600_000)
    await expect(waiting).rejects.toMatchObject({ name: 'UnredeemedError', call: { chain: 'ethereum_localnet' } })
    // A node that stands still does not hide that the time is over.
    await expect(receive(context, saved, record)).rejects.toMatchObject({ field: 'destination_swap.timelock' })
  } finally {
    vi.useRealTimers()
  }
  expect(answers.redeems).toBe(1)
  // It is known that the secret was shown, so nothing more is paid.
  const revealed = await loadSwap(context, saved.orderId)
  expect(revealed).toEqual({ ...saved, phase: 'revealed', secretSentAt: expect.any(Number) })
  await expect(verifyAndPay(context, revealed, wallet, { ...fresh, payAgain: true })).rejects.toMatchObject({ name: 'AlreadyPaidError' })
  const receiving = receive(context, saved, record)
  await vi.waitUntil(() => answers.redeems > 1, { timeout: 60_000 })
  state.startedAt = 1
  expect(await receiving).toEqual(redeemed)
})

test('a late secret is shown only if it was sent before', async () => {
  const { context, chain, saved, answers } = await paidSwap()
  const record = await context.client.order(saved.orderId)
  const seconds = Math.floor(Date.now() / 1000)
  const hex = (value: number) => `0x${value.toString(16)}`
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => hex(answers.redeems === 0 ? seconds - 170 : 1)
  // The page was closed when it was about to send the secret: nobody knows it, and 10 seconds are not enough.
  const about = { ...saved, phase: 'revealed' } as const
  await expect(receive(context, about, record)).rejects.toMatchObject({ field: 'destination_swap.timelock' })
  expect(answers.redeems).toBe(0)
  expect(await receive(context, { ...about, secretSentAt: 1 }, record)).toEqual(redeemed)
})

test('the secret is sent with the order token, whose limit nobody else can use up', async () => {
  const { context, chain, saved, answers } = await paidSwap()
  const record = await context.client.order(saved.orderId)
  const seconds = Math.floor(Date.now() / 1000)
  const hex = (value: number) => `0x${value.toString(16)}`
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => hex(answers.redeems === 0 ? seconds - 5 : 1)
  const { patchOrder } = context.client
  const redeem = vi.spyOn(context.client, 'patchOrder').mockImplementation(patchOrder)
  await receive(context, { ...saved, orderToken: 'token' }, record)
  expect(redeem.mock.calls[0]?.[2]).toEqual({ secret: await context.keys.secretFor(saved.index), order_token: 'token' })
})

test.each([
  ['a lock that the solver has taken back is not received', [2], 'taken the destination back'],
  ['a node that does not know the lock any more has not shown that it was redeemed', [0, 0, 0, 0, 0, 1], null],
])('%s', async (_, slots, refusal) => {
  const { context, chain, saved, answers } = await paidSwap()
  const record = await context.client.order(saved.orderId)
  const seconds = Math.floor(Date.now() / 1000)
  const hex = (value: number) => `0x${value.toString(16)}`
  const left = [...slots]
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => hex(answers.redeems === 0 ? seconds - 5 : (left.shift() ?? 1))
  const receiving = receive(context, saved, record)
  if (refusal === null) expect(await receiving).toEqual(redeemed)
  else await expect(receiving).rejects.toThrow(refusal)
  expect(left).toEqual([])
})

test('where a chain does not keep how a lock ended, it must be gone several times in a row', async () => {
  const { context, chain, saved } = await paidSwap()
  const seconds = Math.floor(Date.now() / 1000)
  const hex = (value: number) => `0x${value.toString(16)}`
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => hex(seconds - 5)
  const told = vi.spyOn(family, 'settledAs').mockResolvedValue('unknown')
  try {
    told.mockResolvedValueOnce('unknown').mockResolvedValueOnce('none')
    expect(await receive(context, saved, await context.client.order(saved.orderId))).toEqual({ ...redeemed, isSeen: false })
    expect(told).toHaveBeenCalledTimes(5)
  } finally {
    told.mockRestore()
  }
})

test('a malformed answer of the user’s own node is an error that says so', async () => {
  const { context, chain, saved } = await paidSwap()
  chain.eth_getBlockByNumber = () => ({ number: 'none', timestamp: '' })
  chain.eth_call = () => '0x5'
  await expect(receive(context, saved, await context.client.order(saved.orderId))).rejects.toMatchObject({ name: 'NodeError' })
})

test('a swap needs the user’s own limit, because the price comes from the service', async () => {
  const { context, wallet, answers } = await createHostileService(nodes)
  const first = (asked: object) => runSwap(context, asked as SwapRequest, wallet).next()
  await expect(first(request)).rejects.toThrow('minToAmount')
  await expect(first({ ...request, fromAmount: undefined, toAmount: 1n })).rejects.toThrow('maxFromAmount')
  expect(await first({ ...request, minToAmount: 1n })).toMatchObject({ value: { kind: 'quoted' } })
  expect(answers.record).toBeNull()
})

/** Two pages of one browser. `withLocks`: it has the Web Locks API. */
async function payByTwoPages(withLocks: boolean) {
  const service = await createHostileService(nodes)
  const { context, wallet, paid } = service
  const { saved } = await makeOrder(context, request, quote, wallet)
  const key = `tandem:order:${saved.orderId}`
  const before = await context.storage.getItem(key)
  let hasWritten = false
  // Sees what the other page writes only later, as browsers without locks allow.
  const slow: SwapStorage = {
    getItem: (name) => (name === key && !hasWritten && !withLocks ? before : context.storage.getItem(name)),
    setItem(name, value) {
      hasWritten = true
      return context.storage.setItem(name, value)
    },
  }
  const pay = (storage: SwapStorage) => verifyAndPay({ ...context, storage }, saved, wallet, fresh)
  const results = await Promise.allSettled([pay(context.storage), pay(slow)])
  return { paid, results: results.map((one) => (one.status === 'rejected' ? one.reason.name : 'paid')).toSorted() }
}

test.each([true, false])('of two pages that pay one order, one does (with Web Locks: %s)', async (withLocks) => {
  if (withLocks) vi.stubGlobal('navigator', { locks: { request: (_: string, work: () => unknown) => work() } })
  try {
    const { paid, results } = await payByTwoPages(withLocks)
    expect(results).toEqual(['AlreadyPaidError', 'paid'])
    expect(paid).toHaveLength(1)
  } finally {
    vi.unstubAllGlobals()
  }
})

test('while the user’s own node is down the swap waits, and shows no secret', async () => {
  const { context, chain, saved, answers } = await paidSwap()
  const record = await context.client.order(saved.orderId)
  answers.record = { ...record, next_action: { who: 'user', what: 'reveal_secret' } } as OrderRecord
  const seconds = Math.floor(Date.now() / 1000)
  const hex = (value: number) => `0x${value.toString(16)}`
  const steps = resumeSwap(context, saved.orderId, null)
  expect(await steps.next()).toMatchObject({ value: { kind: 'changed' } })
  expect(await steps.next()).toMatchObject({ value: { kind: 'delayed', reason: expect.stringContaining('the node does not answer') } })
  expect(answers.redeems).toBe(0)
  const next = steps.next()
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => hex(answers.redeems === 0 ? seconds - 5 : 1)
  expect(await next).toMatchObject({ value: { kind: 'received' } })
  await steps.return({} as OrderRecord)
})
