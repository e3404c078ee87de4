/** The browser loses its storage at each step of a swap. The phrase brings the money home, with the service or without. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { newRescueKeys, psbtWallet, rescueKeys, type SwapStep, type Tandem, tronWebWallet, type Wallet } from '@tandem/sdk'
import { tronLocal } from '@tandem/tron/local/local.ts'
import { expect, test } from 'vitest'
import { memoryStorage } from '../../packages/sdk/src/swap/storage.ts'
import { tellStory } from './story.ts'
import { evmWalletOf, tandemOf } from './swap-by-sdk.ts'

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'
const USDT = 'tron_localnet:usdt'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'tron_localnet')
const { info } = story
const tron = story.wallet('tron_localnet', tronLocal)
const keyOn = (chain: string) => info.wallets.find(({ chains }) => chains.includes(chain))?.private_key ?? ''
/** No solver has this key. */
const STRANGER = 'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9'
const GONE = { baseUrl: 'http://127.0.0.1:1', retries: 0 }

const bitcoinWallet = psbtWallet({
  address: story.ownerOf(BTC),
  esplora: String(info.chains.bitcoin_regtest?.esplora_url),
  async signPsbt(psbt) {
    const transaction = Transaction.fromPSBT(hexToBytes(psbt))
    transaction.sign(hexToBytes(keyOn('bitcoin_regtest').replace(/^0x/, '')))
    return bytesToHex(transaction.toPSBT())
  },
})
const evmWallet = evmWalletOf(story, 'ethereum_localnet')
const addresses = Object.fromEntries([BTC, WBTC, USDT].map((asset) => [asset.split(':')[0] ?? '', story.ownerOf(asset)]))
const balanceOf = (asset: string) => (asset === USDT ? tron.balance(USDT) : story.balance(asset))

type Pair = {
  readonly from: string
  readonly to: string
  readonly fromAmount: bigint
  readonly minToAmount: bigint
  readonly wallet: Wallet
}

const pairs: readonly Pair[] = [
  { from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, wallet: bitcoinWallet },
  { from: WBTC, to: BTC, fromAmount: 500_000n, minToAmount: 400_000n, wallet: evmWallet },
  { from: USDT, to: BTC, fromAmount: 600_000_000n, minToAmount: 400_000n, wallet: tronWebWallet(tron.tronWeb) },
]

const isLocked = ({ destination_swap: swap }: OrderRecord) => swap.initiate_tx_hash !== '' && swap.redeem_tx_hash === ''

/** The storage is lost at these moments. */
const moments: Readonly<Record<string, (step: SwapStep) => boolean>> = {
  ordered: ({ kind }) => kind === 'ordered',
  paid: ({ kind }) => kind === 'paid',
  initiated: (step) => step.kind === 'changed' && step.record.source_swap.initiate_tx_hash !== '',
  'the secret is due': (step) => step.kind === 'changed' && step.record.next_action?.who === 'user' && isLocked(step.record),
  received: ({ kind }) => kind === 'received',
}

/** Everything but the phrase is forgotten at that moment of the swap. */
async function loseAt(pair: Pair, moment: (step: SwapStep) => boolean) {
  const storage = memoryStorage()
  const { phrase, keys } = await newRescueKeys(storage)
  const tandem = tandemOf(story, {}, { storage, keys })
  const { wallet, ...request } = pair
  let orderId = ''
  for await (const step of tandem.swap({ ...request, recipient: story.ownerOf(pair.to) }, wallet)) {
    if (step.kind !== 'quoted') orderId = step.orderId
    if (moment(step)) break
  }
  return { phrase, orderId, file: await tandem.exportFile() }
}

async function openEmpty(phrase: string, given: object = {}): Promise<Tandem> {
  const storage = memoryStorage()
  return tandemOf(story, {}, { storage, keys: await rescueKeys(phrase, storage), ...given })
}

test('the service names the keys of its solvers before there is any order', async () => {
  const { client } = tandemOf(story)
  const keysOn = async (id: string) => (await client.chains({ chain: id }))[0]?.solver_keys
  await story.eventually('the key of the solver', async () => (await keysOn('bitcoin_regtest'))?.length === 1)
  expect(await keysOn('bitcoin_regtest')).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect((await client.orders()).data).toEqual([])
})

const cases = pairs.flatMap((pair) => Object.keys(moments).map((moment) => ({ ...pair, moment })))

test.each(cases)('$from to $to, lost when it is $moment', async ({ moment, ...pair }) => {
  const { from, to, fromAmount, minToAmount, wallet } = pair
  const before = { paid: await balanceOf(from), received: await balanceOf(to) }
  const { phrase, orderId } = await loseAt(pair, moments[moment] ?? (() => false))
  const tandem = await openEmpty(phrase)
  expect(await tandem.restore({ addresses })).toMatchObject([{ index: 0, orderId, problem: null }])
  if (moment === 'ordered') {
    // Nothing was paid, and nothing is: the first change that follows is the one of a payment.
    const steps = tandem.resume(orderId, wallet, { minToAmount })
    expect(await steps.next()).toMatchObject({ value: { kind: 'changed', record: { status: 'created' } } })
    await steps.return({} as never)
    expect(await balanceOf(from)).toBe(before.paid)
    return
  }
  const kinds: SwapStep['kind'][] = []
  for await (const step of tandem.resume(orderId, null, { minToAmount })) kinds.push(step.kind)
  expect(kinds).toContain('received')
  await story.eventually('the payout', async () => (await balanceOf(to)) >= before.received + minToAmount)
  expect(before.paid - (await balanceOf(from))).toBeGreaterThanOrEqual(fromAmount)
})

// This test must be last: service and solver are stopped, and clocks are ahead.
test('the service is gone too: the phrase and nodes find everything, and nothing else is needed', async () => {
  const isDue = moments['the secret is due'] ?? (() => false)
  const isOrdered = moments.ordered ?? (() => false)
  const [fromBitcoin, fromEvm, fromTron] = pairs as [Pair, Pair, Pair]
  const toEvm = await loseAt(fromBitcoin, isDue)
  const toBitcoin = await loseAt(fromEvm, isDue)
  const { source_swap: known } = await (await openEmpty(toEvm.phrase)).client.order(toEvm.orderId)
  // A page, or a saved copy of it, knows this of the service.
  const chains = await (await openEmpty(toEvm.phrase)).client.chains()
  const solverKeys = Object.fromEntries(chains.map(({ chain, solver_keys: keys }) => [chain, keys]))
  expect(solverKeys).toMatchObject({ bitcoin_regtest: [known.redeemer], ethereum_localnet: [] })
  const gone = { ...GONE, solverKeys }

  // The solver will not pay for these three swaps.
  const storage = memoryStorage()
  const { phrase, keys } = await newRescueKeys(storage)
  const tandem = tandemOf(story, {}, { storage, keys })
  const made: { readonly orderId: string; readonly pair: Pair }[] = []
  for (const pair of [fromBitcoin, fromEvm, fromTron]) {
    const { wallet, ...request } = pair
    for await (const step of tandem.swap({ ...request, recipient: story.ownerOf(pair.to) }, wallet)) {
      if (!isOrdered(step) || step.kind === 'quoted') continue
      made.push({ orderId: step.orderId, pair })
      break
    }
  }
  const unpaid = await tandem.exportFile()
  await story.stack.solver.setRunning(false)
  for (const { orderId, pair } of made) for await (const { kind } of tandem.resume(orderId, pair.wallet)) if (kind === 'paid') break
  for (const { orderId } of made) await story.untilStatus(orderId, 'initiated')
  const file = await tandem.exportFile()
  await story.stack.service.setRunning(false)

  const tokens = await balanceOf(WBTC)
  const evmHome = await openEmpty(toEvm.phrase, gone)
  const { locks: payouts } = await evmHome.findLocks({ addresses })
  expect(payouts).toMatchObject([{ asset: WBTC, index: 0, leg: 'destination', isYours: true, state: 'open', can: 'redeem' }])
  const [payout] = payouts
  if (payout === undefined) throw new Error('nothing was found')
  const { minToAmount } = fromBitcoin
  const recipient = story.ownerOf(WBTC)
  await expect(evmHome.settleLock(payout, { wallet: evmWallet, minToAmount })).rejects.toThrow('name your own address in recipient')
  await evmHome.settleLock(payout, { wallet: evmWallet, recipient, minToAmount })
  await story.eventually('the tokens', async () => (await balanceOf(WBTC)) >= tokens + minToAmount)
  expect((await evmHome.findLocks({ addresses })).locks).toMatchObject([{ asset: WBTC, state: 'redeemed', can: 'nothing' }])
  const coins = await balanceOf(BTC)
  const bitcoinHome = await openEmpty(toBitcoin.phrase, gone)
  const stranger = await openEmpty(toBitcoin.phrase, { ...GONE, solverKeys: { bitcoin_regtest: [STRANGER] } })
  expect(await stranger.findDeposits({ gap: 3 })).toEqual([])
  const [payment] = await bitcoinHome.findDeposits({ gap: 3 })
  expect(payment).toMatchObject({ chain: 'bitcoin_regtest', index: 0, leg: 'destination', solver: known.redeemer })
  if (payment === undefined) throw new Error('nothing was found')
  await expect(bitcoinHome.takeDeposit(payment, story.ownerOf(BTC))).rejects.toThrow('say in minToAmount')
  await bitcoinHome.takeDeposit(payment, story.ownerOf(BTC), { minToAmount: fromEvm.minToAmount })
  await story.eventually('the coins', async () => (await balanceOf(BTC)) >= coins + fromEvm.minToAmount)

  const alone = await openEmpty(phrase, gone)
  await expect(alone.restore()).rejects.toMatchObject({ name: 'NetworkError' })
  const [deposit, ...others] = await alone.findDeposits({ gap: 3 })
  expect([deposit, others]).toMatchObject([{ leg: 'source', index: 0, amount: fromBitcoin.fromAmount }, []])
  if (deposit === undefined) throw new Error('nothing was found')
  await expect(alone.takeDeposit(deposit, story.ownerOf(BTC))).rejects.toThrow(/timelock of the deposit at .* ends in/)
  story.bitcoinChain().mine(Number(known.timelock))
  const beforeRefund = await balanceOf(BTC)
  await alone.takeDeposit(deposit, story.ownerOf(BTC))
  await story.eventually('the deposit', async () => (await balanceOf(BTC)) > beforeRefund + fromBitcoin.fromAmount - 10_000n)

  const { locks, searched } = await alone.findLocks({ addresses })
  expect(searched.map(({ problem }) => problem)).toEqual([null, null])
  for (const [index, pair] of [fromEvm, fromTron].entries()) {
    const lock = locks.find(({ asset }) => asset === pair.from)
    expect(lock).toMatchObject({ index: index + 1, leg: 'source', isYours: true, can: 'wait', terms: { amount: pair.fromAmount } })
    if (lock === undefined) throw new Error('nothing was found')
    await expect(alone.settleLock(lock, { wallet: pair.wallet })).rejects.toThrow('has not ended yet')
    const before = await balanceOf(pair.from)
    if (pair.from === WBTC) await story.passTime('ethereum_localnet', 1_300)
    else await tron.passTime(1_300)
    await alone.settleLock(lock, { wallet: pair.wallet })
    await story.eventually(`the refund of ${pair.from}`, async () => (await balanceOf(pair.from)) === before + pair.fromAmount)
  }

  const other = await openEmpty(toEvm.phrase, GONE)
  await expect(other.importFile(file)).rejects.toThrow('of another phrase')
  expect(await alone.importFile(file)).toEqual(made.map(({ orderId }) => orderId))

  // A file from before the payment does not pay again.
  const late = await openEmpty(phrase, GONE)
  await late.importFile(unpaid)
  expect((await late.swaps()).map(({ phase }) => phase)).toEqual(['paying', 'paying', 'paying'])
})
