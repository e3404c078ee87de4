/** Tests which locks a search finds on an EVM chain, and that liars and strangers cannot mislead it. */
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { scanBlocks } from '@tandem/chain-kit/browser/scan-blocks.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { orderIdOf, redeemData, refundData } from '@tandem/evm/terms/htlc.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { fromEvmAddress } from '@tandem/tron/terms/address.ts'
import { encodeAbiParameters, type Hex } from 'viem'
import { expect, test, vi } from 'vitest'
import type { SwapContext } from '../swap/context.ts'
import { chainNamed } from '../verify/pinned.ts'
import { type FindLocksOptions, type FoundLock, findLocks } from './find-locks.ts'
import { lockCall, settleLock } from './settle-lock.ts'

const CHAIN = 'ethereum_localnet'
const WBTC = `${CHAIN}:wbtc`
const chain = chainNamed(CHAIN)
const account = (digits: string) => `0x${digits.repeat(20)}` as const
const [HTLC, TOKEN, USER, SOLVER, STRANGER] = ['e1', 'f1', 'a1', '5a', 'cc'].map((digits) => account(digits)) as [Hex, Hex, Hex, Hex, Hex]
const contract = { chainId: 31337, address: HTLC, token: TOKEN }
const INITIATED = '0x5aad182956c87d109a12473cf6496773b6fe863d1e6f57ade1dcaf9e3ab47e15'

/** Simulated: cheap to derive. */
const secretOf = (index: number) => (index + 1).toString(16).padStart(64, '0')
const hashOf = (index: number) => hashSecret(secretOf(index))

const termsOf = (index: number, changed: Partial<HtlcTerms> = {}): HtlcTerms => ({
  asset: WBTC as HtlcTerms['asset'],
  initiator: USER,
  redeemer: SOLVER,
  amount: 1_000_000n,
  secretHash: hashOf(index),
  timelock: chain.timelocks.source,
  ...changed,
})
const payoutOf = (index: number, changed: Partial<HtlcTerms> = {}) =>
  termsOf(index, { initiator: SOLVER, redeemer: USER, timelock: chain.timelocks.destination, ...changed })

type Log = { address: string; topics: readonly string[]; data: string; transactionHash: string; block: number }

const words = ['address', 'address', 'uint256', 'uint256', 'bytes32'].map((type) => ({ type }))
const logOf = (terms: HtlcTerms, block: number): Log => ({
  address: HTLC,
  topics: [INITIATED, orderIdOf(contract, terms)],
  data: encodeAbiParameters(words, [terms.initiator, terms.redeemer, terms.timelock, terms.amount, `0x${terms.secretHash}`]),
  transactionHash: `0x${'77'.repeat(32)}`,
  block,
})

const NOW = Math.floor(Date.now() / 1000)
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Simulated: a block every two seconds. `slots`: what the contract has at an order. */
function nodeWith(logs: readonly Log[], slots: Readonly<Record<string, number>>, { tip = 100_000, most = 1e9 } = {}) {
  const ranges: (readonly [number, number])[] = []
  let requests = 0
  const timeOf = (block: number) => NOW - 2 * (tip - block)
  const answers: Record<string, (params: never) => unknown> = {
    eth_getBlockByNumber([at]: readonly [string]) {
      const number = at === 'latest' ? tip : Number(at)
      return { number: hex(number), timestamp: hex(timeOf(number)) }
    },
    eth_getLogs([{ fromBlock, toBlock }]: readonly [{ fromBlock: string; toBlock: string }]) {
      const [from, to] = [Number(fromBlock), Number(toBlock)]
      if (to - from + 1 > most) throw new Error(`range is too large, max is ${most} blocks`)
      ranges.push([from, to])
      return logs.filter(({ block }) => block >= from && block <= to)
    },
    eth_call: ([{ data }]: readonly [{ data: string }]) => hex(slots[`0x${data.slice(10)}`] ?? 0),
  }
  const fetch = (async (_url: string, { body }: { body: string }) => {
    requests += 1
    const { method, params } = JSON.parse(body)
    try {
      return new Response(JSON.stringify({ result: answers[method]?.(params as never) }))
    } catch (error) {
      return new Response(JSON.stringify({ error: { message: (error as Error).message } }))
    }
  }) as typeof globalThis.fetch
  return { fetch, answers, ranges, requests: () => requests }
}

const made = (terms: HtlcTerms, slot = NOW - 100) => ({ [orderIdOf(contract, terms)]: slot })

function contextOf(fetch: typeof globalThis.fetch): SwapContext {
  const keys = { startAt: async () => undefined, secretFor: async (index: number) => secretOf(index) }
  const options = { nodes: { [CHAIN]: 'http://node' }, deployments: { [WBTC]: { htlc: HTLC, token: TOKEN } }, fetch }
  return { keys, options } as unknown as SwapContext
}

async function find(node: { readonly fetch: typeof globalThis.fetch }, options: FindLocksOptions = {}) {
  const { locks, searched } = await findLocks(contextOf(node.fetch), options)
  expect(searched[0]?.problem).toBeNull()
  return locks
}

test('payments and payouts of the phrase are found, with what can be done about each', async () => {
  const [old, fresh, payout, gone] = [termsOf(0), termsOf(3, { amount: 7n }), payoutOf(4), termsOf(5)]
  const logs = [logOf(old, 90_000), logOf(fresh, 99_000), logOf(payout, 99_500), logOf(gone, 98_000), logOf(termsOf(2_000_000), 97_000)]
  const expired = NOW - Number(chain.timelocks.source) - 60
  const node = nodeWith(logs, { ...made(old, expired), ...made(fresh), ...made(payout, NOW - 30), ...made(gone, 1) })
  const locks = await find(node, { addresses: { [CHAIN]: USER } })
  expect(locks.map(({ index, leg, state, can, isYours }) => ({ index, leg, state, can, isYours }))).toEqual([
    { index: 5, leg: 'source', state: 'redeemed', can: 'nothing', isYours: true },
    { index: 4, leg: 'destination', state: 'open', can: 'redeem', isYours: true },
    { index: 3, leg: 'source', state: 'open', can: 'wait', isYours: true },
    { index: 0, leg: 'source', state: 'open', can: 'refund', isYours: true },
  ])
  expect(locks[2]?.refundable?.earliest).toBeGreaterThan(NOW + 60)
  const context = contextOf(node.fetch)
  expect(await lockCall(context, locks[3] as FoundLock)).toEqual({ chain: CHAIN, to: HTLC, data: refundData(old) })
  const agreed = { recipient: USER, minToAmount: 1_000_000n }
  const call = { chain: CHAIN, to: HTLC, data: redeemData(payout, secretOf(4)) }
  expect(await lockCall(context, locks[1] as FoundLock, agreed)).toEqual(call)
  const sent: unknown[] = []
  const wallet = {
    families: ['evm'],
    address: async () => STRANGER,
    send: async (...given: unknown[]) => sent.push(given) && { hash: '0x1' },
  }
  await settleLock(context, locks[1] as FoundLock, { ...agreed, wallet: wallet as unknown as Wallet })
  expect(sent).toEqual([[31337, { from: STRANGER, to: HTLC, data: call.data, value: 0n }]])
})

test('locks that a node invents are not found', async () => {
  const terms = termsOf(0)
  const log = logOf(terms, 99_000)
  const slots = made(terms)
  expect(await find(nodeWith([log], slots))).toHaveLength(1)
  const lies: readonly (readonly [string, Log])[] = [
    ['another amount under the id of a real lock', { ...logOf({ ...terms, amount: 9n }, 99_000), topics: log.topics }],
    ['the user as the redeemer of it', { ...logOf({ ...terms, redeemer: USER }, 99_000), topics: log.topics }],
    ['another contract', { ...log, address: STRANGER }],
    ['another event', { ...log, topics: [`0x${'00'.repeat(32)}`, log.topics[1] ?? ''] }],
    ['data that is none', { ...log, data: '0x12' }],
    ['no topics', { ...log, topics: [] }],
    ['a lock that the contract does not have', logOf(payoutOf(1), 99_000)],
    ['a lock of a secret that is not of the phrase', logOf(termsOf(5_000), 99_000)],
  ]
  for (const [name, lie] of lies) expect([name, await find(nodeWith([lie], slots))]).toEqual([name, []])
  // Lies do not even cost requests: the id of an order tells them apart.
  const [quiet, noisy] = [
    nodeWith([], slots),
    nodeWith(
      lies.slice(0, 6).map(([, lie]) => lie),
      slots,
    ),
  ]
  expect(await find(quiet)).toEqual(await find(noisy))
  expect(noisy.requests()).toBe(quiet.requests())
  const odd = nodeWith([log, log], slots)
  expect(await find(odd)).toHaveLength(1)
  odd.answers.eth_getLogs = () => ({})
  const { searched } = await findLocks(contextOf(odd.fetch))
  expect(searched).toMatchObject([{ problem: 'eth_getLogs: the node answered no list' }])
})

test('a secret is shown only to the user, for what was agreed, and only for a lock that is still there', async () => {
  const payout = payoutOf(4)
  const node = nodeWith([logOf(payout, 99_500)], made(payout, NOW - 30))
  const [lock] = await find(node)
  if (lock === undefined) throw new Error('nothing was found')
  const context = contextOf(node.fetch)
  const agreed = { recipient: USER, minToAmount: 1_000_000n }
  const attempt = (given: object, changed: Partial<FoundLock> = {}) => lockCall(context, { ...lock, ...changed }, given)
  await expect(attempt({})).rejects.toThrow('name your own address in recipient')
  await expect(attempt({ recipient: USER })).rejects.toThrow('minToAmount')
  await expect(attempt({ recipient: USER, minToAmount: 0n })).rejects.toThrow('more than 0')
  await expect(attempt({ ...agreed, recipient: STRANGER })).rejects.toMatchObject({ field: 'lock.redeemer' })
  await expect(attempt({ ...agreed, minToAmount: 1_000_001n })).rejects.toMatchObject({ field: 'lock.amount' })
  await expect(attempt(agreed, { index: 5 })).rejects.toMatchObject({ field: 'lock.secretHash' })
  await expect(attempt(agreed, { chain: 'arbitrum_localnet' })).rejects.toMatchObject({ field: 'lock.chain' })
  // Terms that were changed on the way are of a lock that nobody made.
  await expect(attempt(agreed, { terms: { ...payout, amount: 2_000_000n } })).rejects.toThrow('no open lock with these terms')
  // The longer timelock makes it a payment of the user's: it is refunded, never redeemed.
  await expect(attempt(agreed, { terms: { ...payout, timelock: chain.timelocks.source } })).rejects.toThrow('no open lock with these terms')
  const late = nodeWith([], made(payout, NOW - Number(chain.timelocks.destination) + 5))
  await expect(lockCall(contextOf(late.fetch), lock, agreed)).rejects.toMatchObject({ field: 'destination_swap.timelock' })
  const paidOut = nodeWith([], made(payout, 1))
  await expect(lockCall(contextOf(paidOut.fetch), lock, agreed)).rejects.toThrow('no open lock')
})

test('a lock to somebody else, with the hash of the user, is shown as such', async () => {
  const fake = payoutOf(4, { redeemer: STRANGER })
  const node = nodeWith([logOf(fake, 99_500)], made(fake, NOW - 30))
  expect(await find(node, { addresses: { [CHAIN]: USER } })).toMatchObject([{ isYours: false, can: 'nothing' }])
  expect(await find(node)).toMatchObject([{ isYours: null, can: 'redeem' }])
  // Its refund would pay the stranger, and cost the user the fee.
  const paid = termsOf(4, { initiator: STRANGER })
  const expired = nodeWith([logOf(paid, 60_000)], made(paid, NOW - Number(chain.timelocks.source) - 60))
  expect(await find(expired, { addresses: { [CHAIN]: USER } })).toMatchObject([{ leg: 'source', isYours: false, can: 'nothing' }])
})

test('a node that limits ranges is asked for smaller ones: every block once, newest first', async () => {
  const node = nodeWith([logOf(termsOf(0), 99_000)], made(termsOf(0)), { most: 1_500 })
  const parts: number[] = []
  expect(await find(node, { days: 1, onProgress: ({ part }) => parts.push(part) })).toHaveLength(1)
  const { ranges } = node
  expect(ranges[0]?.[1]).toBe(100_000)
  for (const [at, [from]] of ranges.entries()) expect(ranges[at + 1]?.[1] ?? from - 1).toBe(from - 1)
  // A day has 43,200 blocks of two seconds.
  expect(Math.abs((ranges.at(-1)?.[0] ?? 0) - (100_000 - 43_200))).toBeLessThan(20)
  expect(node.requests()).toBeLessThan(43_200 / 1_250 + 40)
  expect(parts.at(-1)).toBe(1)
  expect(parts).toEqual(parts.toSorted((a, b) => a - b))
})

test('the number of requests is bounded, and blocks that they did not reach are reported', async () => {
  const node = nodeWith([logOf(termsOf(0), 60_000)], made(termsOf(0)), { most: 100 })
  const { locks, searched } = await findLocks(contextOf(node.fetch), { maxRequests: 60, days: 20 })
  expect(locks).toEqual([])
  expect(node.requests()).toBeLessThan(65)
  const reached = 100_000 - (node.ranges.at(-1)?.[0] ?? 0)
  expect(reached).toBeGreaterThan(1_000)
  expect(searched).toMatchObject([{ chain: CHAIN, since: NOW - 2 * reached, needsAddress: false, problem: null }])
})

test('locks that strangers make with the hash of the user do not hide those of the user, nor cost requests without end', async () => {
  const fakes = Array.from({ length: 400 }, (_, n) => payoutOf(4, { redeemer: STRANGER, amount: BigInt(n + 1) }))
  // Small ones cost next to nothing, also if they pay the user.
  const crumbs = Array.from({ length: 300 }, (_, n) => payoutOf(4, { initiator: STRANGER, amount: BigInt(n + 1) }))
  const all = [...fakes, ...crumbs, payoutOf(4)]
  const node = nodeWith(
    all.map((terms) => logOf(terms, 99_500)),
    Object.assign({}, ...all.map((terms) => made(terms, NOW - 30))),
  )
  const { locks, searched } = await findLocks(contextOf(node.fetch), { addresses: { [CHAIN]: USER } })
  expect(locks).toHaveLength(200)
  expect(locks.filter(({ isYours }) => !isYours)).toEqual([])
  expect(locks.filter(({ terms }) => terms.amount === 1_000_000n)).toHaveLength(1)
  expect(searched).toMatchObject([{ problem: 'there is more than was read' }])
})

test('a node that is asked too often is waited for, and asked for the same blocks', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let refusals = 2
    const read = vi.fn(async () => {
      if (refusals-- > 0) throw new NodeError('eth_getLogs: the node answered 429: slow down')
      return ['lock']
    })
    const scanning = scanBlocks({
      tip: { height: 100n, time: 200n },
      timeAt: async (height) => height * 2n,
      read,
      since: 0n,
      budget: { left: 100 },
      onProgress: () => undefined,
    })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await scanning).toEqual({ found: ['lock'], since: 0n })
    expect(read.mock.calls).toEqual([
      [0n, 100n],
      [0n, 100n],
      [0n, 100n],
    ])
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['hypercore_localnet', (address: Hex) => address, 'hypercore'],
  ['tron_localnet', fromEvmAddress, 'tron'],
] as const)('%s has the contract too: a lock is found, and its call goes to the pinned one', async (id, write, family) => {
  const other = chainNamed(id)
  const asset = `${id}:${id === 'tron_localnet' ? 'usdt' : 'purr'}`
  const chainId = Number(other.reference.split(':')[1])
  const terms = termsOf(2, { asset: asset as HtlcTerms['asset'], timelock: other.timelocks.source })
  const log = { ...logOf(terms, 99_000), topics: [INITIATED, orderIdOf({ ...contract, chainId }, terms)] }
  const expired = NOW - Number(other.timelocks.source) - 60
  const node = nodeWith([log], { [orderIdOf({ ...contract, chainId }, terms)]: expired })
  const context = contextOf(node.fetch)
  const options = {
    ...context.options,
    nodes: { [id]: 'http://node' },
    deployments: { [asset]: { htlc: write(HTLC), token: write(TOKEN) } },
  }
  const there = { ...context, options } as SwapContext
  const { locks, searched } = await findLocks(there, { addresses: { [id]: write(USER) } })
  expect(searched).toMatchObject([{ problem: null }])
  expect(locks).toMatchObject([{ index: 2, isYours: true, can: 'refund', terms: { initiator: write(USER) } }])
  expect(await lockCall(there, locks[0] as FoundLock)).toEqual({ chain: id, to: write(HTLC), data: refundData(terms) })
  expect(other.family).toBe(family)
})

test('a node that has lost older events still shows the newer ones, and the result says since when', async () => {
  const node = nodeWith([logOf(termsOf(0), 99_000)], made(termsOf(0)))
  const { eth_getLogs: logs } = node.answers
  node.answers.eth_getLogs = (params: never) => {
    const [{ fromBlock }] = params as readonly [{ fromBlock: string }]
    if (Number(fromBlock) < 95_000) throw new Error('pruned history unavailable')
    return logs?.(params)
  }
  const { locks, searched } = await findLocks(contextOf(node.fetch), { days: 2 })
  expect(locks).toMatchObject([{ index: 0 }])
  const [{ since, problem } = {}] = searched
  expect(problem).toBeNull()
  expect(Math.abs((since ?? 0) - (NOW - 2 * 5_000))).toBeLessThan(20)
  node.answers.eth_getBlockByNumber = ([at]: readonly [string]) => (at === 'latest' ? { number: hex(100_000), timestamp: hex(NOW) } : null)
  const { searched: without } = await findLocks(contextOf(node.fetch))
  expect(without).toMatchObject([{ problem: 'eth_getBlockByNumber: the node does not have block 90000' }])
})

test('a node that shows an impossible height is not asked without end', async () => {
  const node = nodeWith([], {})
  node.answers.eth_getBlockByNumber = () => ({ number: `0x1${'0'.repeat(1_000)}`, timestamp: hex(NOW) })
  const { searched } = await findLocks(contextOf(node.fetch), { maxRequests: 100 })
  expect(searched).toMatchObject([{ problem: expect.stringContaining('an impossible newest block') }])
  expect(node.requests()).toBeLessThan(110)
})

test('a node that refuses everything is reported, and the number of requests is bounded', async () => {
  const node = nodeWith([], {}, { most: 0 })
  const { searched } = await findLocks(contextOf(node.fetch))
  expect(searched).toMatchObject([{ problem: expect.stringContaining('range is too large') }])
  expect(node.requests()).toBeLessThan(50)
})

test('after a thousand swaps the search continues', async () => {
  const [known, beyond] = [termsOf(990), termsOf(1_005)]
  const node = nodeWith([logOf(known, 99_000), logOf(beyond, 99_500)], { ...made(known), ...made(beyond) })
  expect((await find(node)).map(({ index }) => index)).toEqual([1_005, 990])
})

test('it can be aborted, and random keys are not searched for', async () => {
  const node = nodeWith([], {}, { most: 100 })
  const abort = new AbortController()
  const searching = findLocks(contextOf(node.fetch), { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) })
  await expect(searching).rejects.toThrow('enough')
  const random = { ...contextOf(node.fetch), keys: { secretFor: async () => 'never' } } as unknown as SwapContext
  await expect(findLocks(random)).rejects.toThrow('only keys of a rescue phrase')
})
