/** Redeems with the user's own key, against a solver, a service and an Esplora in memory. */
import { expect, test, vi } from 'vitest'
import { NotFoundError, RateLimitedError } from '../client/errors.ts'
import { type FoundDeposit, findDeposits, type TakeOptions, takeDeposit } from '../rescue/find-deposits.ts'
import { restoreSwaps } from '../rescue/restore.ts'
import { receive } from './receive.ts'
import { speedUp } from './refund.ts'
import { resumeSwap } from './run.ts'
import { addSwap, loadSwap } from './saved-swap.ts'
import { addresses, coin, publicKey, SOLVER, swapToBitcoin, TIP } from './to-bitcoin.fixture.ts'

/** Each is worth its input, and the solver can refund each: its timelock is over. */
const planted = Array.from({ length: 3 }, (_, n) => coin(`a${n}`, 20_000, 1))
const lock = coin('bb', 990_000, TIP - 1)

async function restored(given: Parameters<typeof swapToBitcoin>[0] = {}) {
  const swap = await swapToBitcoin(given)
  const [found] = await restoreSwaps(swap.context, { addresses })
  return { ...swap, problem: found?.problem }
}

test('a redeem spends the deposit that was verified and no other, also when its fee is raised', async () => {
  const { context, record, orderId, esplora } = await restored()
  esplora.state.coins = [...planted, lock]
  await receive(context, await loadSwap(context, orderId), record)
  expect(esplora.inputs()).toEqual([['bb']])
  expect(await loadSwap(context, orderId)).toMatchObject({ revealedFor: `${lock.txid}:0`, secretSentAt: expect.any(Number) })
  await speedUp(context, orderId)
  expect(esplora.inputs()).toEqual([['bb'], ['bb']])
})

test('the phrase alone finds and takes the verified deposit and no other', async () => {
  const { context, esplora } = await restored()
  esplora.state.coins = [...planted, lock]
  const [deposit, ...others] = await findDeposits(context, { solvers: [SOLVER], gap: 1 })
  expect([deposit, others]).toEqual([
    { chain: 'bitcoin_regtest', asset: 'bitcoin_regtest:btc', index: 0, leg: 'destination', solver: SOLVER, amount: 990_000n },
    [],
  ])
  if (deposit === undefined) throw new Error('nothing was found')
  await takeDeposit(context, deposit, addresses.bitcoin_regtest, { minToAmount: 990_000n })
  expect(esplora.inputs()).toEqual([['bb']])
})

test('the phrase alone shows no secret for a payment of less than was agreed, nor if nobody says what was', async () => {
  const { context, esplora } = await restored()
  // What a solver pays to learn the secret, which takes the whole source.
  esplora.state.coins = [coin('cc', 1_000, TIP - 10)]
  const [deposit] = await findDeposits(context, { solvers: [SOLVER], gap: 1 })
  if (deposit === undefined) throw new Error('nothing was found')
  const take = (given?: TakeOptions) => takeDeposit(context, deposit, addresses.bitcoin_regtest, given)
  for (const given of [undefined, {}, { minToAmount: 0n }]) await expect(take(given)).rejects.toThrow('say in minToAmount')
  await expect(take({ minToAmount: 990_000n })).rejects.toMatchObject({ field: 'lock.amount' })
  const claimed = { ...deposit, amount: 990_000n }
  await expect(takeDeposit(context, claimed, addresses.bitcoin_regtest, { minToAmount: 990_000n })).rejects.toThrow('nothing was revealed')
  expect(esplora.sent).toEqual([])
})

test('the phrase alone raises the fee of its redeem, which nodes do not list any more', async () => {
  const { context, esplora } = await restored()
  esplora.state.coins = [...planted, lock]
  const [deposit] = await findDeposits(context, { solvers: [SOLVER], gap: 1 })
  if (deposit === undefined) throw new Error('nothing was found')
  const take = (bump: boolean) => takeDeposit(context, deposit, addresses.bitcoin_regtest, { minToAmount: 990_000n, bump })
  const first = await take(true)
  expect(await take(false)).toBe(first)
  expect(await take(true)).not.toBe(first)
  expect(esplora.inputs()).toEqual([['bb'], ['bb']])
  const [slow, fast] = esplora.sent.map((one) => one.getOutput(0).amount ?? 0n)
  expect(slow).toBeGreaterThan(fast ?? 0n)
})

test('a node that makes up a redeem learns no secret by it', async () => {
  const { context, esplora } = await restored()
  esplora.state.coins = [lock]
  const [deposit] = await findDeposits(context, { solvers: [SOLVER], gap: 1 })
  const take = (by: typeof context) =>
    takeDeposit(by, deposit as FoundDeposit, addresses.bitcoin_regtest, { minToAmount: 990_000n, bump: true })
  await take(context)
  const [real] = esplora.sent
  const { fetch } = esplora
  // The solver knows all of it but the secret.
  const lying: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    const secret = await context.keys.secretFor(0)
    return new Response((await answer.text()).replaceAll(secret, '00'.repeat(32)))
  }
  const deceived = { ...context, options: { ...context.options, fetch: lying } }
  await expect(take(deceived)).rejects.toThrow('nothing was revealed now')
  expect(esplora.sent).toEqual([real])
})

test('a redeem of a deposit that is gone spends nothing else', async () => {
  const { context, orderId, esplora } = await restored()
  esplora.state.coins = planted
  const saved = await loadSwap(context, orderId)
  await addSwap(context, { ...saved, phase: 'revealed', secretSentAt: 1, revealedFor: `${lock.txid}:0` })
  await expect(speedUp(context, orderId)).rejects.toThrow(`${lock.txid}:0 is not at`)
  expect(esplora.sent).toEqual([])
})

test('an order that pays a key of the service is not restored, and its secret is not shown', async () => {
  const { context, record, orderId, problem, service, esplora } = await restored({ redeemer: publicKey('5') })
  expect(problem).toContain('does not pay your key')
  await expect(loadSwap(context, orderId)).rejects.toThrow('has no swap of order')
  esplora.state.coins = [lock]
  // Also not if an earlier version has restored it.
  const other = await restored()
  const saved = {
    ...(await loadSwap(other.context, other.orderId)),
    ownKeys: [],
    secretHash: record.source_swap.secret_hash,
    paidFor: record,
  }
  const destination = { ...saved.request.destination, owner: addresses.bitcoin_regtest }
  await addSwap(context, { ...saved, request: { ...saved.request, destination } })
  const steps = resumeSwap(context, orderId, null, { minToAmount: 990_000n })
  await steps.next()
  await expect(steps.next()).rejects.toThrow('does not pay your key')
  expect(service.told).toEqual([])
})

const limited = new RateLimitedError('rate_limited', 'too many requests', { httpStatus: 429, retryAfterSeconds: 60 })

test('a service that refuses every request delays the swap; the redeem goes on until the user’s own node shows it in a block', async () => {
  const { context, record, orderId, service, esplora, chain } = await restored()
  esplora.state.coins = [...planted, lock]
  service.refusal = limited
  const steps = resumeSwap(context, orderId, null, { minToAmount: 990_000n })
  expect(await steps.next()).toMatchObject({ value: { kind: 'delayed', reason: 'too many requests' } })
  expect(await steps.next()).toMatchObject({ value: { kind: 'received', tx: esplora.sent[0]?.id } })
  const bumped = () => {
    const { length } = esplora.sent
    esplora.state.rate *= 2
    return vi.waitUntil(
      () => {
        vi.setSystemTime(Date.now() + Number(chain.feeBumpSeconds) * 1000)
        return esplora.sent.length > length
      },
      { timeout: 60_000 },
    )
  }
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    let isEnded = false
    const rest = (async () => {
      for await (const _ of steps);
      isEnded = true
    })()
    await bumped()
    // An answer that there is no such order, or that it has ended, does not stop it.
    service.refusal = new NotFoundError('not_found', 'no such order', { httpStatus: 404, retryAfterSeconds: null })
    await bumped()
    Object.assign(service, { refusal: null, record: { ...record, status: 'redeemed', next_action: null } })
    await bumped()
    await bumped()
    expect(isEnded).toBe(false)
    esplora.state.isMined = true
    await rest
  } finally {
    vi.useRealTimers()
  }
  expect(new Set(esplora.inputs().flat())).toEqual(new Set(['bb']))
})

test('after a reload a redeem that no block has is sent again, also if its sending was not answered', async () => {
  const { context, record, orderId, service, esplora } = await restored()
  esplora.state.coins = [lock]
  const saved = await loadSwap(context, orderId)
  await receive(context, saved, record)
  const { secretSentAt: _, ...unanswered } = await loadSwap(context, orderId)
  await addSwap(context, unanswered)
  service.record = { ...record, status: 'redeemed', next_action: null }
  const steps = resumeSwap(context, orderId, null)
  expect(await steps.next()).toMatchObject({ value: { kind: 'changed', record: { status: 'redeemed' } } })
  expect(await loadSwap(context, orderId)).toMatchObject({ secretSentAt: expect.any(Number) })
  const rest = steps.next()
  // All nodes have dropped it.
  esplora.sent.splice(0)
  await vi.waitUntil(() => esplora.sent.length === 1, { timeout: 60_000 })
  esplora.state.isMined = true
  expect(await rest).toMatchObject({ done: true })
})

test('redeemed is not the end while nothing was redeemed: the user’s own key does it once the lock is there', async () => {
  const { context, record, orderId, service, esplora } = await restored()
  service.record = { ...record, status: 'redeemed', next_action: null }
  const steps = resumeSwap(context, orderId, null, { minToAmount: 990_000n })
  expect(await steps.next()).toMatchObject({ value: { kind: 'changed', record: { status: 'redeemed' } } })
  const next = steps.next()
  esplora.state.coins = [lock]
  expect(await next).toMatchObject({ value: { kind: 'received', tx: esplora.sent[0]?.id } })
  const end = steps.next()
  esplora.state.isMined = true
  expect(await end).toMatchObject({ done: true })
})

test('a redeem that is overtaken by the solver’s refund is not received', async () => {
  const { context, record, orderId, service, esplora } = await restored()
  esplora.state.coins = [lock]
  await receive(context, await loadSwap(context, orderId), record)
  service.record = { ...record, status: 'redeemed', next_action: null }
  Object.assign(esplora.state, { isMined: true, isRefund: true })
  const steps = resumeSwap(context, orderId, null, { minToAmount: 990_000n })
  await steps.next()
  await expect(steps.next()).rejects.toMatchObject({ name: 'UnpaidError', shown: 'refunded' })
})

test('no secret is shown for a payment without its confirmations, also by the phrase alone', async () => {
  const { context, record, orderId, esplora } = await restored()
  const take = async () => {
    const [deposit] = await findDeposits(context, { solvers: [SOLVER], gap: 1 })
    return takeDeposit(context, deposit as FoundDeposit, addresses.bitcoin_regtest, { minToAmount: 990_000n })
  }
  // The node's newest block is the one before.
  esplora.state.coins = [coin('bb', 990_000, TIP + 1)]
  expect(await receive(context, await loadSwap(context, orderId), record)).toBeNull()
  await expect(take()).rejects.toThrow('is not confirmed yet')
  expect(esplora.sent).toEqual([])
  esplora.state.coins = [coin('bb', 990_000, TIP)]
  await take()
  expect(esplora.inputs()).toEqual([['bb']])
})

test('a secret is not shown too late; one that was sent is redeemed with however late it is', async () => {
  const { context, record, orderId, esplora, chain } = await restored()
  const saved = await loadSwap(context, orderId)
  const field = 'destination_swap.timelock'
  esplora.state.coins = [coin('bb', 990_000, TIP + 2 - Number(chain.timelocks.destination))]
  const [deposit] = await findDeposits(context, { solvers: [SOLVER], gap: 1 })
  const taking = takeDeposit(context, deposit as FoundDeposit, addresses.bitcoin_regtest, { minToAmount: 990_000n })
  await expect(taking).rejects.toMatchObject({ field })
  await expect(receive(context, saved, record)).rejects.toMatchObject({ field })
  expect(esplora.sent).toEqual([])
  expect(await receive(context, { ...saved, phase: 'revealed', secretSentAt: 1 }, record)).toMatchObject({ tx: esplora.sent[0]?.id })
})

test('a fee is not raised too late for a redeem that may never have been sent: it would be what shows the secret', async () => {
  const { context, orderId, esplora, chain } = await restored()
  esplora.state.coins = [coin('bb', 990_000, TIP + 2 - Number(chain.timelocks.destination))]
  const about = { ...(await loadSwap(context, orderId)), phase: 'revealed', revealedFor: `${lock.txid}:0` } as const
  await addSwap(context, about)
  await expect(speedUp(context, orderId)).rejects.toMatchObject({ field: 'destination_swap.timelock' })
  expect(esplora.sent).toEqual([])
  await addSwap(context, { ...about, secretSentAt: 1 })
  expect(await speedUp(context, orderId)).toBe(esplora.sent[0]?.id)
})
