/** The browser loses its storage at each step of a swap: the phrase brings the money home, with the service or without. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import { expect, test } from 'vitest'
import { tronLocal } from '../../devnet/tron/local.ts'
import { newRescueKeys, psbtWallet, rescueKeys, type SwapStep, type Tandem, tronWebWallet, type Wallet } from '../../sdk/src/index.ts'
import { defaultStorage } from '../../sdk/src/swap/storage.ts'
import type { OrderRecord } from '../../src/protocol/wire/order.ts'
import { tellStory } from './story.ts'
import { evmWalletOf, tandemOf } from './swap-by-sdk.ts'

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'
const USDT = 'tron_localnet:usdt'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'tron_localnet')
const { info } = story
const tron = story.wallet('tron_localnet', tronLocal)
const keyOn = (chain: string) => info.wallets.find(({ chains }) => chains.includes(chain))?.private_key ?? ''
/** A key that is of no solver. */
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
  readonly leastToAmount: bigint
  readonly wallet: Wallet
}

const pairs: readonly Pair[] = [
  { from: BTC, to: WBTC, fromAmount: 1_000_000n, leastToAmount: 900_000n, wallet: bitcoinWallet },
  { from: WBTC, to: BTC, fromAmount: 500_000n, leastToAmount: 400_000n, wallet: evmWallet },
  { from: USDT, to: BTC, fromAmount: 600_000_000n, leastToAmount: 400_000n, wallet: tronWebWallet(tron.tronWeb) },
]

const isLocked = ({ destination_swap: swap }: OrderRecord) => swap.initiate_tx_hash !== '' && swap.redeem_tx_hash === ''

/** When the storage is lost. */
const moments: Readonly<Record<string, (step: SwapStep) => boolean>> = {
  ordered: ({ kind }) => kind === 'ordered',
  paid: ({ kind }) => kind === 'paid',
  initiated: (step) => step.kind === 'changed' && step.record.source_swap.initiate_tx_hash !== '',
  'the secret is due': (step) => step.kind === 'changed' && step.record.next_action?.who === 'user' && isLocked(step.record),
  received: ({ kind }) => kind === 'received',
}

/** Makes a swap up to a moment, and forgets everything but the phrase. */
async function loseAt(pair: Pair, moment: (step: SwapStep) => boolean) {
  const storage = defaultStorage()
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
  const storage = defaultStorage()
  return tandemOf(story, {}, { storage, keys: await rescueKeys(phrase, storage), ...given })
}

const cases = pairs.flatMap((pair) => Object.keys(moments).map((moment) => ({ ...pair, moment })))

test.each(cases)('$from to $to, lost when it is $moment', async ({ moment, ...pair }) => {
  const { from, to, fromAmount, leastToAmount, wallet } = pair
  const before = { paid: await balanceOf(from), received: await balanceOf(to) }
  const { phrase, orderId } = await loseAt(pair, moments[moment] ?? (() => false))
  const tandem = await openEmpty(phrase)
  expect(await tandem.restore({ addresses })).toMatchObject([{ index: 0, orderId, problem: null }])
  if (moment === 'ordered') {
    // Nothing was paid, and nothing is: the first change that follows is the one of a payment.
    const steps = tandem.resume(orderId, wallet, { leastToAmount })
    expect(await steps.next()).toMatchObject({ value: { kind: 'changed', record: { status: 'created' } } })
    await steps.return({} as never)
    expect(await balanceOf(from)).toBe(before.paid)
    return
  }
  let last: SwapStep | null = null
  for await (const step of tandem.resume(orderId, null, { leastToAmount })) last = step
  expect(last).toMatchObject({ record: { status: expect.stringMatching(/redeemed/) } })
  await story.eventually('the payout', async () => (await balanceOf(to)) >= before.received + leastToAmount)
  expect(before.paid - (await balanceOf(from))).toBeGreaterThanOrEqual(fromAmount)
})

// The last one: service and solver are stopped, and clocks are ahead.
test('the service is gone too: the phrase and an Esplora find bitcoin, the phrase and the file everything else', async () => {
  const isDue = moments['the secret is due'] ?? (() => false)
  const isOrdered = moments.ordered ?? (() => false)
  const [fromBitcoin, fromEvm, fromTron] = pairs as [Pair, Pair, Pair]
  const toEvm = await loseAt(fromBitcoin, isDue)
  const toBitcoin = await loseAt(fromEvm, isDue)
  const { source_swap: known } = await (await openEmpty(toEvm.phrase)).client.order(toEvm.orderId)
  const solvers = [known.redeemer]

  // Three swaps that the solver will not pay for.
  const storage = defaultStorage()
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

  // The solver's payments: by the file on an EVM chain, by the phrase alone on Bitcoin.
  const tokens = await balanceOf(WBTC)
  const evmHome = await openEmpty(toEvm.phrase, GONE)
  expect(await evmHome.importFile(toEvm.file)).toEqual([toEvm.orderId])
  await evmHome.redeem(toEvm.orderId, { wallet: evmWallet })
  await story.eventually('the tokens', async () => (await balanceOf(WBTC)) >= tokens + fromBitcoin.leastToAmount)
  const coins = await balanceOf(BTC)
  const bitcoinHome = await openEmpty(toBitcoin.phrase, GONE)
  expect(await bitcoinHome.findDeposits({ solvers: [STRANGER], gap: 3 })).toEqual([])
  const [payment] = await bitcoinHome.findDeposits({ solvers, gap: 3 })
  expect(payment).toMatchObject({ chain: 'bitcoin_regtest', index: 0, leg: 'destination', solver: solvers[0] })
  if (payment === undefined) throw new Error('nothing was found')
  await bitcoinHome.takeDeposit(payment, story.ownerOf(BTC))
  await story.eventually('the coins', async () => (await balanceOf(BTC)) >= coins + fromEvm.leastToAmount)

  // The user's own deposits.
  const alone = await openEmpty(phrase, GONE)
  await expect(alone.restore()).rejects.toMatchObject({ name: 'NetworkError' })
  const [deposit, ...others] = await alone.findDeposits({ solvers, gap: 3 })
  expect([deposit, others]).toMatchObject([{ leg: 'source', index: 0, amount: fromBitcoin.fromAmount }, []])
  if (deposit === undefined) throw new Error('nothing was found')
  await expect(alone.takeDeposit(deposit, story.ownerOf(BTC))).rejects.toThrow(/timelock of the deposit at .* ends in/)
  story.bitcoinChain().mine(Number(known.timelock))
  const beforeRefund = await balanceOf(BTC)
  await alone.takeDeposit(deposit, story.ownerOf(BTC))
  await story.eventually('the deposit', async () => (await balanceOf(BTC)) > beforeRefund + fromBitcoin.fromAmount - 10_000n)

  const other = await openEmpty(toEvm.phrase, GONE)
  await expect(other.importFile(file)).rejects.toThrow('of another phrase')
  await alone.importFile(file)
  for (const { orderId, pair } of made.slice(1)) {
    const before = await balanceOf(pair.from)
    if (pair.from === WBTC) await story.passTime('ethereum_localnet', 1_300)
    else await tron.passTime(1_300)
    await alone.refund(orderId, { wallet: pair.wallet })
    await story.eventually(`the refund of ${pair.from}`, async () => (await balanceOf(pair.from)) === before + pair.fromAmount)
  }

  // A file of before the payment does not pay again.
  const late = await openEmpty(phrase, GONE)
  await late.importFile(unpaid)
  expect((await late.swaps()).map(({ phase }) => phase)).toEqual(['paying', 'paying', 'paying'])
})
