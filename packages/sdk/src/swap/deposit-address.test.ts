/** Tests orders that are paid at a deposit address against a service that lies about it, and how the money is taken out alone. */
import { createHash } from 'node:crypto'
import type { DepositAddresses, DepositSide, HeldAsset } from '@tandem/chain-kit/browser/family.ts'
import type { PayingWallet, Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { family } from '@tandem/evm/browser/index.ts'
import { chainIdOf, createContracts, swapIdOf } from '@tandem/evm/terms/htlc.ts'
import { termsOf } from '@tandem/protocol/funding/deposit-package.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { CreateOrderRequest, OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../client/client.ts'
import { randomKeys } from '../keys/keys.ts'
import { type PinnedAsset, pinnedAsset } from '../verify/pinned.ts'
import { depositWallet } from '../wallets/deposit-wallet.ts'
import type { SwapContext } from './context.ts'
import { depositAddress, depositBalance, depositPackage, initiateDeposit, returnDeposit } from './deposit-address.ts'
import { swapRecord } from './hostile-service.fixture.ts'
import { verifyAndPay } from './pay.ts'
import { makeOrder, type QuoteRequest } from './prepare.ts'
import { loadSwap, saveSwap } from './saved-swap.ts'
import { memoryStorage } from './storage.ts'

const [FROM, TO] = ['ethereum_localnet:wbtc', 'arbitrum_localnet:usdc']
const account = (digit: string) => `0x${digit.repeat(40)}`
const deployments = { [FROM]: { htlc: account('1'), token: account('2') }, [TO]: { htlc: account('8'), token: account('9') } }
const REFUND_TO = account('a')
const OTHER = account('6')

const addressOf = ({ deployment, terms, deadline }: DepositSide) => {
  const meaning = [deployment.htlc, ...Object.values(terms).map(String), deadline.toString()]
  return `0x${createHash('sha256').update(JSON.stringify(meaning)).digest('hex').slice(0, 40)}`
}
let sent: unknown[]
const fake: DepositAddresses<Wallet> = {
  addressOf,
  amountAt: async (side) => BigInt(addressOf(side)) % 1_000n,
  async initiate(side) {
    sent.push(['initiate', addressOf(side)])
    return 'initiation'
  },
  async giveBack(side, _, token) {
    sent.push(['giveBack', addressOf(side), token])
    return 'return'
  },
}
const { depositAddresses: real, balanceOf: realBalanceOf } = family
beforeEach(() => {
  sent = []
  Object.assign(family, { depositAddresses: fake })
})
afterEach(() => void Object.assign(family, { depositAddresses: real, balanceOf: realBalanceOf }))

const request: QuoteRequest = { from: FROM, to: TO, fromAmount: 1_000_000n, recipient: account('3'), secret: 'service', deposit: 'address' }
const quote = {
  solver_id: 'solver',
  quote_id: 'quote',
  estimated_time: 1,
  source: { asset: FROM, amount: '1000000', display: '0.01', value: '1' },
  destination: { asset: TO, amount: '990000', display: '0.99', value: '1' },
  slippage: 0,
  fee: 0,
  fixed_fee: '0',
  expires_at: 99_999_999_999,
} as Quote

type Lie = (told: { record: OrderRecord; created: Record<string, unknown> & { refund_package: Record<string, unknown> } }) => void

async function open(lie: Lie = () => undefined) {
  const assets = { source: await pinnedAsset(FROM, deployments), destination: await pinnedAsset(TO, deployments) }
  const asked: CreateOrderRequest[] = []
  let record: OrderRecord | null = null
  const storage = memoryStorage()
  const client = {
    async createOrder(body: CreateOrderRequest) {
      asked.push(body)
      const told = answersOf(assets, body)
      lie(told)
      record = told.record
      return told.created
    },
    order: async () => record,
  } as unknown as Client
  const chainOf = (url: string) => (url.includes('source') ? assets.source : assets.destination).chain
  const answer: typeof fetch = async (url, init) => {
    const { method } = JSON.parse(String(init?.body)) as { method: string }
    const now = Math.floor(Date.now() / 1000)
    const results: Record<string, unknown> = {
      eth_chainId: `0x${chainIdOf(chainOf(String(url))).toString(16)}`,
      eth_getBlockByNumber: { number: '0x1', timestamp: `0x${now.toString(16)}` },
      eth_getCode: '0x01',
    }
    return Response.json({ result: results[method] })
  }
  const options = {
    baseUrl: '',
    appId: '',
    deployments,
    nodes: { ethereum_localnet: 'http://source', arbitrum_localnet: 'http://destination' },
    fetch: answer,
    pollMs: 1,
  }
  const context: SwapContext = { client, options, storage, keys: randomKeys(storage) }
  const shown: unknown[] = []
  const wallet = depositWallet({
    address: REFUND_TO.toUpperCase().replace('0X', '0x'),
    show: ({ to, amount, uri }) => void shown.push([to, amount, uri]),
  })
  const pay = async (by: Wallet = wallet) => {
    const { saved, created } = await makeOrder(context, request, quote, by)
    await verifyAndPay(context, saved, by, { gasless: false, created })
    return saved.orderId
  }
  return { context, asked, shown, wallet, pay }
}

function answersOf(assets: Readonly<Record<Leg, PinnedAsset>>, body: CreateOrderRequest) {
  const seconds = Math.floor(Date.now() / 1000)
  const deadline = BigInt(seconds) + assets.source.chain.fundingWindowSeconds
  const termsOf = (leg: Leg): HtlcTerms => ({
    asset: assets[leg].asset.id,
    initiator: leg === 'source' ? String(body.source.owner) : account('4'),
    redeemer: leg === 'source' ? account('5') : String(body.destination.owner),
    amount: BigInt(body[leg].amount),
    secretHash: 'cd'.repeat(32),
    timelock: assets[leg].chain.timelocks[leg],
  })
  const swap = (leg: Leg) => {
    const { chain, asset, deployment } = assets[leg]
    return swapRecord(
      assets[leg],
      leg,
      termsOf(leg),
      swapIdOf(createContracts(chain, [{ ...asset, deployment }]).of(asset.id), termsOf(leg)),
    )
  }
  const { chain, deployment } = assets.source
  const terms = termsOf('source')
  const to = addressOf({ ...assets.source, terms, deadline })
  const refund_package: Record<string, unknown> = {
    kind: 'deposit-address',
    family: chain.family,
    chain: chain.id,
    asset: FROM,
    htlc: deployment.htlc,
    token: deployment.token,
    initiator: terms.initiator,
    redeemer: terms.redeemer,
    amount: terms.amount.toString(),
    secret_hash: terms.secretHash,
    timelock: terms.timelock.toString(),
    deadline: deadline.toString(),
    address: to,
  }
  const record: OrderRecord = {
    created_at: new Date(seconds * 1000).toISOString(),
    source_swap: { ...swap('source'), deposit_address: to, deposit_amount: '0' },
    destination_swap: swap('destination'),
    nonce: '1',
    order_id: 'ab'.repeat(32),
    affiliate_fees: [],
    version: 'v3',
    solver_id: 'solver',
    integrator: 'app',
    deadline: Number(deadline),
    price_expires_at: seconds,
    status: 'created',
    next_action: null,
  }
  return { record, created: { order_id: record.order_id, to, amount: body.source.amount, refund_package } satisfies CreateOrderResult }
}

test('the user is shown the address that follows from the terms, and gets the refund at their own', async () => {
  const { context, asked, shown, pay } = await open()
  const orderId = await pay()
  expect(asked).toMatchObject([{ deposit: 'address', source: { owner: REFUND_TO } }])
  const { address, ...found } = await depositAddress(context, orderId)
  expect(shown).toEqual([[address, 1_000_000n, address]])
  expect(found).toEqual({
    asset: FROM,
    amount: 1_000_000n,
    deadline: BigInt((await loadSwap(context, orderId)).paidFor?.deadline ?? 0),
    held: BigInt(address) % 1_000n,
    initiator: REFUND_TO,
  })
})

describe('nobody is shown an address', () => {
  test.each<[string, Lie, string]>([
    ['that the answer changed', ({ created }) => (created.to = OTHER), 'to'],
    ['that the record changed', ({ record }) => (record.source_swap.deposit_address = OTHER), 'source_swap.deposit_address'],
    ['that the record has not', ({ record }) => delete record.source_swap.deposit_address, 'source_swap.deposit_address'],
    ['that holds money already', ({ record }) => (record.source_swap.deposit_amount = '5'), 'source_swap.deposit_amount'],
    ['for another amount', ({ created }) => (created.amount = '1000001'), 'amount'],
    ['with a package of another address', ({ created }) => (created.refund_package.address = OTHER), 'refund_package.address'],
    ['with a package of another time', ({ created }) => (created.refund_package.deadline = '1'), 'refund_package.deadline'],
    ['whose money would be returned to another', ({ record }) => (record.source_swap.initiator = OTHER), 'source_swap.initiator'],
    ['of an order with another deadline', ({ record }) => (record.deadline += 1), 'deadline'],
    ['of another swap', ({ record }) => (record.source_swap.swap_id = `0x${'77'.repeat(32)}`), 'source_swap.swap_id'],
  ])('%s', async (_, lie, field) => {
    const { shown, pay } = await open(lie)
    await expect(pay()).rejects.toMatchObject({ name: 'VerificationError', field })
    expect(shown).toEqual([])
  })

  test.each<[string, Lie, string]>([
    ['would be returned to another', ({ record }) => (record.source_swap.initiator = OTHER), 'source_swap.initiator'],
    ['funds another swap', ({ record }) => (record.source_swap.swap_id = `0x${'77'.repeat(32)}`), 'source_swap.swap_id'],
  ])('before the wallet is asked: of an order whose money %s', async (_, lie, field) => {
    const { context, wallet } = await open(lie)
    const { orderId } = (await makeOrder(context, request, quote, wallet)).saved
    for (const look of [depositAddress, depositPackage])
      await expect(look(context, orderId)).rejects.toMatchObject({ name: 'VerificationError', field })
    await expect(initiateDeposit(context, orderId, { wallet })).rejects.toMatchObject({ name: 'VerificationError', field })
    expect(sent).toEqual([])
  })

  test('where the family has none: no order is made', async () => {
    Object.assign(family, { depositAddresses: undefined })
    const { asked, pay } = await open()
    await expect(pay()).rejects.toThrow(/have no deposit addresses/)
    expect(asked).toEqual([])
  })

  test('by a wallet that pays to no address', async () => {
    const { pay } = await open()
    await expect(pay({ families: ['evm'], address: async () => REFUND_TO })).rejects.toThrow(/a wallet that pays to addresses/)
  })
})

describe('money at the address', () => {
  const sender: Wallet = { families: ['evm'], address: async () => OTHER }
  const elsewhere: PayingWallet = { ...sender, families: ['xrpl'], pay: async () => '' }

  test('is taken out by the order, or by the package alone in another storage', async () => {
    const { context, pay } = await open()
    const orderId = await pay()
    const { address } = await depositAddress(context, orderId)
    const kept = JSON.parse(JSON.stringify(await depositPackage(context, orderId)))
    const other: SwapContext = { ...context, client: {} as Client, storage: memoryStorage() }
    expect(await returnDeposit(context, orderId, { wallet: sender })).toBe('return')
    expect(await returnDeposit(other, kept, { wallet: sender, token: null })).toBe('return')
    expect(await initiateDeposit(other, kept, { wallet: sender })).toBe('initiation')
    expect(sent).toEqual([
      ['giveBack', address, undefined],
      ['giveBack', address, null],
      ['initiate', address],
    ])
    expect(await depositAddress(other, kept)).toEqual(await depositAddress(context, orderId))
    const found = await depositAddress(context, orderId)
    Object.assign(family, { depositAddresses: { ...fake, amountAt: async () => Promise.reject(new Error('a node was asked')) } })
    expect(await depositAddress(other, kept, { read: false })).toEqual({ ...found, held: null })
    await expect(returnDeposit(other, kept, { wallet: elsewhere })).rejects.toMatchObject({ reason: 'wrong_wallet' })
  })

  test('is taken out of an order that was restored with another address of the user', async () => {
    const { context, pay } = await open()
    const orderId = await pay()
    const { address } = await depositAddress(context, orderId)
    const saved = await loadSwap(context, orderId)
    await saveSwap(context, {
      ...saved,
      phase: 'restored',
      request: { ...saved.request, source: { ...saved.request.source, owner: OTHER } },
    })
    expect(await returnDeposit(context, orderId, { wallet: sender })).toBe('return')
    expect(sent).toEqual([['giveBack', address, undefined]])
    await expect(depositAddress(context, orderId)).rejects.toMatchObject({ field: 'source_swap.initiator' })
  })

  test.each([
    ['address', OTHER],
    ['htlc', OTHER],
    ['token', OTHER],
    ['initiator', OTHER],
    ['deadline', '7'],
    ['family', 'tron'],
    ['chain', 'tron_localnet'],
  ])('is not looked for by a package with another %s', async (name, value) => {
    const { context, pay } = await open()
    const kept = await depositPackage(context, await pay())
    const changed = { ...kept, [name]: value }
    for (const act of [returnDeposit(context, changed, { wallet: sender }), depositAddress(context, changed, { read: false })])
      await expect(act).rejects.toMatchObject({ name: 'VerificationError' })
    expect(sent).toEqual([])
  })

  test.each([{}, { kind: 'deposit-address' }, { kind: 'another' }])('is not looked for by what is no package: %j', async (given) => {
    const { context } = await open()
    const error = { name: 'RescueInputError', message: expect.stringMatching(/not the refund package/) }
    await expect(returnDeposit(context, given, { wallet: sender })).rejects.toMatchObject(error)
  })

  test('is taken out of an order of an asset that the operator added to its registry', async () => {
    const { context, pay } = await open()
    const kept = await depositPackage(context, await pay())
    const added = await pinnedAsset(FROM, deployments)
    const icon = { text: 'OWN', color: '#336699' }
    const token = { token: account('b'), name: 'Own Dollar', symbol: 'OWND', decimals: 6, min: '1000000', max: '1000000000', icon }
    const registry = { environment: 'local' as const, chains: {}, assets: { 'ethereum_localnet:ownd': token } }
    const own = { ...deployments, 'ethereum_localnet:ownd': { htlc: account('7') } }
    const { deadline, ...rest } = kept
    const terms = { ...added, terms: termsOf(kept), deadline: BigInt(deadline) }
    const deployment = { htlc: account('7'), token: account('b') }
    const address = addressOf({ ...terms, deployment, terms: { ...terms.terms, asset: 'ethereum_localnet:ownd' } })
    const given = { ...rest, deadline, ...deployment, asset: 'ethereum_localnet:ownd', address }
    const without = { ...context, options: { ...context.options, deployments: own } }
    await expect(returnDeposit(without, given, { wallet: sender })).rejects.toThrow(/does not know the asset/)
    expect(await returnDeposit({ ...without, options: { ...without.options, registry } }, given, { wallet: sender })).toBe('return')
  })
})

describe('another token at the address', () => {
  const sender: Wallet = { families: ['evm'], address: async () => OTHER }
  const USDC = account('d')
  const withUsdc = { ...deployments, 'ethereum_localnet:usdc': { htlc: account('e'), token: USDC } }
  /** What the node shows at one address, by token. */
  const balances = (at: string, held: Readonly<Record<string, bigint>>) => ({
    balanceOf: async ({ deployment: { token } }: HeldAsset, address: string) => {
      const balance = address === at ? (held[String(token)] ?? 0n) : -1n
      return { balance, spendable: 0n }
    },
  })

  async function paid() {
    const { context, pay } = await open()
    const orderId = await pay()
    const kept = await depositPackage(context, orderId)
    const all: SwapContext = { ...context, options: { ...context.options, deployments: withUsdc } }
    return { context: all, orderId, kept }
  }

  test('is read and named before it is returned: a known token, an unknown one, the coin, and the asset itself', async () => {
    const { context, orderId, kept } = await paid()
    Object.assign(family, balances(kept.address, { [USDC]: 5n, [OTHER]: 7n, null: 9n }))
    const own = { asset: FROM, held: BigInt(kept.address) % 1_000n }
    for (const of of [orderId, kept]) {
      expect(await depositBalance(context, of)).toEqual(own)
      expect(await depositBalance(context, of, { token: account('2') })).toEqual(own)
      expect(await depositBalance(context, of, { token: USDC.toUpperCase().replace('0X', '0x') })).toEqual({
        asset: 'ethereum_localnet:usdc',
        held: 5n,
      })
      expect(await depositBalance(context, of, { token: OTHER })).toEqual({ asset: null, held: 7n })
      expect(await depositBalance(context, of, { token: null })).toEqual({ asset: 'ethereum_localnet:eth', held: 9n })
    }
    expect(sent).toEqual([])
  })

  test('is read as its own asset would be where the family reads no balances, unless the token is a part of the address', async () => {
    const { context, kept } = await paid()
    const seen: unknown[] = []
    const amountAt = async ({ asset, deployment }: DepositSide) => BigInt(seen.push([asset.tokenSchema, deployment]))
    Object.assign(family, { balanceOf: undefined, depositAddresses: { ...fake, amountAt } })
    expect(await depositBalance(context, kept, { token: USDC })).toEqual({ asset: 'ethereum_localnet:usdc', held: 1n })
    expect(seen).toEqual([['evm:erc20', { htlc: account('1'), token: USDC }]])
    expect(await depositBalance(context, kept, { token: null })).toMatchObject({ held: null })
    const bound = ({ deployment, ...side }: DepositSide) => (deployment.token === USDC ? OTHER : addressOf({ ...side, deployment }))
    Object.assign(family, { depositAddresses: { ...fake, amountAt, addressOf: bound } })
    expect(await depositBalance(context, kept, { token: USDC })).toMatchObject({ held: null })
    expect(seen).toHaveLength(1)
  })

  test('is returned by its canonical address; a text that is none is refused before the wallet is asked', async () => {
    const { context, kept } = await paid()
    const asked = { ...sender, address: async () => Promise.reject(new Error('the wallet was asked')) }
    for (const act of [returnDeposit(context, kept, { wallet: asked, token: 'usdc' }), depositBalance(context, kept, { token: 'usdc' })])
      await expect(act).rejects.toMatchObject({ name: 'AddressError' })
    await returnDeposit(context, kept, { wallet: sender, token: USDC.toUpperCase().replace('0X', '0x') })
    await returnDeposit(context, kept, { wallet: sender, token: account('2') })
    expect(sent).toEqual([
      ['giveBack', kept.address, USDC],
      ['giveBack', kept.address, undefined],
    ])
  })

  test('without a node nothing is read', async () => {
    const { context, kept } = await paid()
    const alone: SwapContext = { ...context, options: { ...context.options, nodes: {} } }
    expect(await depositBalance(alone, kept, { token: USDC })).toEqual({ asset: 'ethereum_localnet:usdc', held: null })
  })
})
