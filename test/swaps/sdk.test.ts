/** Tests whole swaps through the SDK: wallets, rescue phrase, and a service that lies. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import {
  createTandem,
  ethersWallet,
  newRescueKeys,
  psbtWallet,
  type QuoteRequest,
  randomKeys,
  rescueKeys,
  type SwapRequest,
  type SwapStep,
  viemWallet,
  type Wallet,
} from '@tandem/sdk'
import { ethers } from 'ethers'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../packages/sdk/src/client/client.ts'
import type { SwapContext } from '../../packages/sdk/src/swap/context.ts'
import { makeOrder, quoteFor } from '../../packages/sdk/src/swap/prepare.ts'
import { intentOf } from '../../packages/sdk/src/swap/saved-swap.ts'
import { memoryStorage } from '../../packages/sdk/src/swap/storage.ts'
import { uncaughtLies } from '../../packages/sdk/src/verify/lying-service.fixture.ts'
import { pinnedAsset } from '../../packages/sdk/src/verify/pinned.ts'
import { verifyOrder } from '../../packages/sdk/src/verify/verify-order.ts'
import { verifyQuote } from '../../packages/sdk/src/verify/verify-quote.ts'
import { tellStory } from './story.ts'

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
const { info } = story
const esplora = String(info.chains.bitcoin_regtest?.esplora_url)
const rpc = String(info.chains.ethereum_localnet?.rpc_url)
const keyOn = (chain: string) => info.wallets.find(({ chains }) => chains.includes(chain))?.private_key ?? ''

/**
 * The orders are polled: a client that leaves a stream of events may open a spare connection, for which a server that stops waits a minute.
 * `client.test.ts` watches by events.
 */
const realFetch = globalThis.fetch
const withoutEvents: typeof fetch = async (input, init) =>
  String(input).endsWith('/events') ? new Response('', { status: 404 }) : realFetch(input, init)

const options = {
  fetch: withoutEvents,
  baseUrl: info.base_url,
  appId: info.app_id,
  pollMs: 200,
  deployments: Object.assign({}, ...Object.values(info.chains).map(({ assets }) => assets)),
  nodes: { bitcoin_regtest: esplora, ethereum_localnet: rpc },
}

const bitcoinWallet = psbtWallet({
  address: story.ownerOf(BTC),
  esplora,
  async signPsbt(psbt) {
    const transaction = Transaction.fromPSBT(hexToBytes(psbt))
    transaction.sign(hexToBytes(keyOn('bitcoin_regtest').replace(/^0x/, '')))
    return bytesToHex(transaction.toPSBT())
  },
})
const viem = viemWallet(
  createWalletClient({ account: privateKeyToAccount(keyOn('ethereum_localnet') as `0x${string}`), transport: http(rpc) }),
)
const ethersSigner = ethersWallet(
  new ethers.Wallet(keyOn('ethereum_localnet'), new ethers.JsonRpcProvider(rpc, undefined, { polling: true })),
)

async function stepsOf(steps: AsyncGenerator<SwapStep, unknown>): Promise<readonly SwapStep[]> {
  const seen: SwapStep[] = []
  for await (const step of steps) seen.push(step)
  return seen
}

test('bitcoin to an EVM token and back: own keys and secret, paid by a PSBT and by viem', async () => {
  const tandem = createTandem({ ...options, storage: memoryStorage() })
  const before = await story.balance(WBTC)
  const steps = await stepsOf(
    tandem.swap({ from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(WBTC) }, bitcoinWallet),
  )
  expect(steps.map(({ kind }) => kind)).toContain('received')
  const promised = steps.flatMap((step) => (step.kind === 'quoted' ? [BigInt(step.quote.destination.amount)] : []))[0] ?? 0n
  expect((await story.balance(WBTC)) - before).toBeGreaterThanOrEqual(promised)

  const coins = await story.balance(BTC)
  const back = await stepsOf(
    tandem.swap({ from: WBTC, to: BTC, fromAmount: 500_000n, minToAmount: 400_000n, recipient: story.ownerOf(BTC) }, viem),
  )
  expect(back.at(-1)).toMatchObject({ kind: 'changed', record: { status: expect.stringMatching(/redeemed/) } })
  expect((await story.balance(BTC)) - coins).toBeGreaterThan(400_000n)
  const orderId = back.flatMap((step) => (step.kind === 'ordered' ? [step.orderId] : []))[0] ?? ''
  expect((await story.signed('service', orderId)).size).toBe(0)
})

test('a swap that was left goes on by its order id; ethers signs, the service sends', async () => {
  const storage = memoryStorage()
  const request: SwapRequest = {
    from: WBTC,
    to: BTC,
    fromAmount: 500_000n,
    minToAmount: 400_000n,
    recipient: story.ownerOf(BTC),
    gasless: true,
  }
  let orderId = ''
  for await (const step of createTandem({ ...options, storage }).swap(request, ethersSigner)) {
    if (step.kind !== 'ordered') continue
    orderId = step.orderId
    break
  }
  const resumed = createTandem({ ...options, storage })
  const kinds = new Set<string>()
  for await (const { kind } of resumed.resume(orderId, ethersSigner, { gasless: true })) {
    kinds.add(kind)
    if (kind === 'paid') break
  }
  expect(kinds).toEqual(new Set(['paid']))
  await expect(resumed.refund(orderId)).rejects.toMatchObject({ name: 'ConflictError', code: 'conflict' })
  const withoutService = createTandem({ ...options, storage, baseUrl: 'http://127.0.0.1:1', retries: 0 })
  const tooEarly = { data: ethers.id('HTLC__OrderNotExpired()').slice(0, 10) }
  const refundAlone = () => expect(withoutService.refund(orderId, { wallet: ethersSigner })).rejects.toMatchObject(tooEarly)
  await vi.waitFor(refundAlone, { timeout: 150_000, interval: 200 })
  // The page is closed again before the secret is revealed. It was asked to pay once.
  for await (const { kind } of createTandem({ ...options, storage }).resume(orderId, ethersSigner)) kinds.add(kind)
  expect(kinds).toEqual(new Set(['paid', 'changed', 'received']))
  const watched: string[] = []
  for await (const { status } of createTandem({ ...options, nodes: {} }).watch(orderId)) watched.push(status)
  expect(watched.at(-1)).toMatch(/redeemed/)
})

test('an instant refund with the user’s own key, in one call; a hash of something else is not signed', async () => {
  const payer: Wallet = {
    ...bitcoinWallet,
    pay: ({ to }: { readonly to: string }) => story.bitcoin().pay(to, 20_000n),
  } as Wallet
  const answers = { lie: false }
  const lying: typeof fetch = async (input, init) => {
    const response = await withoutEvents(input, init)
    if (!answers.lie || !String(input).endsWith('/instant-refund-hash')) return response
    return Response.json({ status: 'Ok', error: null, result: ['11'.repeat(32)] })
  }
  const tandem = createTandem({ ...options, storage: memoryStorage(), fetch: lying })
  let refunded = ''
  for await (const step of tandem.swap(
    { from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(WBTC) },
    payer,
  )) {
    if (step.kind !== 'changed' || step.record.source_swap.current_confirmations === 0 || refunded !== '') continue
    answers.lie = true
    await expect(tandem.instantRefund(step.orderId)).rejects.toMatchObject({ name: 'VerificationError', field: 'instant-refund-hash' })
    answers.lie = false
    refunded = await tandem.instantRefund(step.orderId)
  }
  expect(refunded).toMatch(/^[0-9a-f]{64}$/)
})

test('the rescue phrase alone finds the swaps again from an empty storage: two are completed, one is refunded', async () => {
  const lost = memoryStorage()
  const { phrase, keys } = await newRescueKeys(lost)
  const addresses = { bitcoin_regtest: story.ownerOf(BTC), ethereum_localnet: story.ownerOf(WBTC) }
  const underpaying: Wallet = { ...bitcoinWallet, pay: ({ to }: { readonly to: string }) => story.bitcoin().pay(to, 20_000n) } as Wallet
  const toEvm: SwapRequest = { from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(WBTC) }
  const toBitcoin: SwapRequest = { from: WBTC, to: BTC, fromAmount: 500_000n, minToAmount: 400_000n, recipient: story.ownerOf(BTC) }
  const left: string[] = []
  for (const [request, wallet] of [
    [toEvm, bitcoinWallet],
    [toBitcoin, viem],
    [toEvm, underpaying],
  ] as const)
    for await (const step of createTandem({ ...options, storage: lost, keys }).swap(request, wallet)) {
      if (step.kind !== 'paid') continue
      left.push(step.orderId)
      break
    }

  const storage = memoryStorage()
  const found = createTandem({ ...options, storage, keys: await rescueKeys(phrase, storage) })
  const blind = await found.restore()
  expect(blind.map(({ index, orderId }) => ({ index, orderId }))).toEqual(left.map((orderId, index) => ({ index, orderId })))
  expect(blind[1]?.problem).toBe('name your address on bitcoin_regtest in addresses')
  const astray = await found.restore({ addresses: { ...addresses, ethereum_localnet: `0x${'11'.repeat(20)}` } })
  expect(astray.map(({ problem }) => problem?.includes('destination_swap.redeemer') ?? null)).toEqual([true, null, true])
  expect((await found.restore({ addresses })).map(({ problem }) => problem)).toEqual([null, null, null])

  const [first = '', second = '', third = ''] = left
  await expect(stepsOf(found.resume(third, underpaying, { payAgain: true, minToAmount: 1n }))).rejects.toThrow('was restored')
  const [tokens, coins] = [await story.balance(WBTC), await story.balance(BTC)]
  await expect(stepsOf(found.resume(first))).rejects.toThrow('name in minToAmount what you agreed to get')
  await expect(stepsOf(found.resume(first, null, { minToAmount: 1_000_000n }))).rejects.toThrow('destination_swap.amount')
  for (const [orderId, minToAmount] of [
    [first, 900_000n],
    [second, 400_000n],
  ] as const) {
    const steps = await stepsOf(found.resume(orderId, null, { minToAmount }))
    expect(steps.at(-1)).toMatchObject({ record: { status: expect.stringMatching(/redeemed/) } })
  }
  expect(await story.balance(WBTC)).toBeGreaterThan(tokens + 900_000n)
  expect(await story.balance(BTC)).toBeGreaterThan(coins + 400_000n)

  const { source_swap: deposit } = await story.until(third, 'its deposit in a block', (one) => one.source_swap.deposits?.length === 1)
  const before = await story.balance(BTC)
  story.bitcoinChain().mine(Number(deposit.timelock))
  await found.refund(third)
  await story.eventually('the refund', async () => (await story.balance(BTC)) > before + 10_000n)
})

/** These fields cannot hurt, for the given reason. */
const harmless: Readonly<Record<string, string>> = {
  'quote.solver_id': 'the terms are verified, whoever the solver is',
  'quote.quote_id': 'a false one is refused by the service',
  'quote.estimated_time': 'shown only',
  'quote.fee': 'inside the amounts, which are verified',
  'quote.fixed_fee': 'inside the amounts, which are verified',
  'quote.source.value': 'shown only',
  'quote.destination.value': 'shown only',
  'record.created_at': 'only its seconds count, and the deadline binds them',
  'record.nonce': 'the SDK gives none: the Idempotency-Key and the secret hash make the order one',
  'record.solver_id': 'the terms are verified, whoever the solver is',
  'record.integrator': 'shown only',
  'record.price_expires_at': 'after it the solver may decline, and the deposit is refunded',
  'record.next_action': 'each step is verified when it is due',
  'record.source_swap.deposits': 'there are none yet',
  'record.next_action.who': 'each step is verified when it is due',
  'record.next_action.what': 'each step is verified when it is due',
  'record.next_action.by': 'each step is verified when it is due',
  'record.source_swap.created_at': 'shown only',
  'record.source_swap.asset_price': 'shown only',
  'record.source_swap.fee_from_amount': 'shown only',
  'record.destination_swap.created_at': 'shown only',
  'record.destination_swap.asset_price': 'shown only',
  'record.destination_swap.fee_from_amount': 'shown only: the least that the user gets is compared after the fee',
  'created.order_token': 'a false one is refused by the service; refunds after the timelock need none',
  'created.approval_transaction.gas_limit': 'the wallet estimates it',
  'created.initiate_transaction.gas_limit': 'the wallet estimates it',
  'created.revoke_transaction.gas_limit': 'the wallet estimates it',
  'record.destination_swap.network_fee': 'only the service pays out of it, to users who rely on it for the payout',
}

const harmlessWithOwnKey: typeof harmless = { ...harmless, 'created.refund_package': 'the user has the key, and the storage the terms' }

const owned = { nodes: options.nodes, secret: 'client' } as const
const held = { nodes: {}, secret: 'service' } as const

test.each([
  ['a token of an EVM chain', WBTC, BTC, viem, owned],
  ['bitcoin, with the user’s own keys', BTC, WBTC, bitcoinWallet, owned],
  ['bitcoin, with a key that the service made', BTC, 'ethereum_localnet:eth', bitcoinWallet, held],
  ['the coin of an EVM chain', 'ethereum_localnet:eth', BTC, viem, held],
] as const)('a service that lies in one field about %s is caught', async (_, from, to, wallet: Wallet, { nodes, secret }) => {
  const storage = memoryStorage()
  const context: SwapContext = { client: createClient(options), options: { ...options, nodes }, storage, keys: randomKeys(storage) }
  const fromAmount = from.endsWith(':eth') ? 10n ** 17n : 1_000_000n
  const request: QuoteRequest = { from, to, fromAmount, recipient: story.ownerOf(to), secret }
  const quote = await quoteFor(context, request)
  const { saved, created } = await makeOrder(context, request, quote, wallet)
  const intent = await intentOf(context, saved)
  const told = { quote, record: await context.client.order(saved.orderId), created }
  const now = BigInt(Math.floor(Date.now() / 1000))
  const asked = {
    source: await pinnedAsset(from, options.deployments),
    destination: await pinnedAsset(to, options.deployments),
    amount: { exactIn: fromAmount },
    minToAmount: null,
    maxFromAmount: null,
    gas: false,
    slippage: 0,
    now,
  }
  const uncaught = await uncaughtLies(told, async ({ quote, record, created: funding }: typeof told) => {
    verifyQuote(quote, asked)
    await verifyOrder(intent, { record, funding }, now)
  })
  const allowed = secret === 'client' ? harmlessWithOwnKey : harmless
  expect(uncaught.filter((field) => allowed[field] === undefined)).toEqual([])
  expect(uncaught.length).toBeGreaterThan(0)
})
