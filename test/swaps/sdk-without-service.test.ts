/** On chains with accounts the user holds the secret, and redeems and refunds with a wallet and a node when the service is gone. */
import { SuiGrpcClient } from '@mysten/sui/grpc'
import { Transaction } from '@mysten/sui/transactions'
import { base58 } from '@scure/base'
import {
  createKeyPairFromPrivateKeyBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import { hypercoreLocal } from '@tandem/hypercore/local/local.ts'
import {
  newRescueKeys,
  type QuoteRequest,
  rescueKeys,
  solanaWallet,
  starknetAccountWallet,
  suiWallet,
  type Tandem,
  tronWebWallet,
  type Wallet,
  xrplJsWallet,
} from '@tandem/sdk'
import { solanaLocal } from '@tandem/solana/local/local.ts'
import { starknetLocal } from '@tandem/starknet/local/local.ts'
import { keypairOf } from '@tandem/sui/local/account-keys.ts'
import { suiLocal } from '@tandem/sui/local/local.ts'
import { tronLocal } from '@tandem/tron/local/local.ts'
import { walletOfKey } from '@tandem/xrpl/local/account-keys.ts'
import { xrplLocal } from '@tandem/xrpl/local/local.ts'
import { openXrplClient } from '@tandem/xrpl/local/open-client.ts'
import { Account, RpcProvider } from 'starknet'
import { afterAll, expect, test } from 'vitest'
import { memoryStorage } from '../../packages/sdk/src/swap/storage.ts'
import { tellStory } from './story.ts'
import { evmWalletOf, swapBySdk, tandemOf } from './swap-by-sdk.ts'

const DOLLARS = 'arbitrum_localnet:usdc'
const story = await tellStory(
  'arbitrum_localnet',
  'tron_localnet',
  'hypercore_localnet',
  'starknet_localnet',
  'solana_localnet',
  'sui_localnet',
  'xrpl_localnet',
)
const { info } = story
const keyOn = (chain: string) => info.wallets.find(({ chains }) => chains.includes(chain))?.private_key ?? ''
const urlOf = (chain: string) => String(info.chains[chain]?.rpc_url)

const xrplClient = await openXrplClient(String(info.chains.xrpl_localnet?.ws_url))
afterAll(() => xrplClient.disconnect())

/** Extensions implement the wallet standard. */
function standardWallet(address: string, features: Readonly<Record<string, unknown>>) {
  return { name: 'a wallet', accounts: [{ address }], features }
}

async function walletOfSolana(address: string): Promise<Wallet> {
  const keyPair = await createKeyPairFromPrivateKeyBytes(Buffer.from(keyOn('solana_localnet').replace(/^0x/, ''), 'hex'))
  const rpc = createSolanaRpc(urlOf('solana_localnet'))
  const signAndSendTransaction = async (...inputs: readonly { readonly transaction: Uint8Array }[]) =>
    Promise.all(
      inputs.map(async ({ transaction }) => {
        const signed = await partiallySignTransaction([keyPair], getTransactionDecoder().decode(transaction))
        const sent = await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64' }).send()
        return { signature: base58.decode(sent) }
      }),
    )
  return solanaWallet(standardWallet(address, { 'solana:signAndSendTransaction': { signAndSendTransaction } }))
}

function walletOfSui(address: string): Wallet {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: urlOf('sui_localnet') })
  const keypair = keypairOf(keyOn('sui_localnet'))
  const signAndExecuteTransaction = async ({ transaction }: { readonly transaction: { toJSON(): Promise<string> } }) => {
    const sent = await keypair.signAndExecuteTransaction({ transaction: Transaction.from(await transaction.toJSON()), client })
    if (sent.Transaction?.effects?.status?.success === false) throw new Error('the transaction failed')
    return { digest: sent.Transaction?.digest ?? '' }
  }
  return suiWallet(standardWallet(address, { 'sui:signAndExecuteTransaction': { signAndExecuteTransaction } }))
}

const starknetAccount = new Account({
  provider: new RpcProvider({ nodeUrl: urlOf('starknet_localnet') }),
  address: story.ownerOf('starknet_localnet:wbtc'),
  signer: keyOn('starknet_localnet'),
  cairoVersion: '1',
})

type Family = {
  readonly asset: string
  readonly amount: bigint
  readonly wallet: Wallet
  /** This is more than the fees of three transactions, where they are paid in the asset. */
  readonly fees: bigint
  balance(): Promise<bigint>
  passTime(timelock: number): Promise<unknown>
  /** The timelock of a source counts from the deadline of the order, so it ends this much later. */
  readonly fundingSeconds?: number
}

const tron = story.wallet('tron_localnet', tronLocal)
const hypercore = story.wallet('hypercore_localnet', hypercoreLocal)
const starknet = story.wallet('starknet_localnet', starknetLocal)
const solana = story.wallet('solana_localnet', solanaLocal)
const sui = story.wallet('sui_localnet', suiLocal)
const xrpl = story.wallet('xrpl_localnet', xrplLocal)
const of = (wallet: typeof tron | typeof hypercore | typeof starknet | typeof solana | typeof sui | typeof xrpl, asset: string) => ({
  asset,
  balance: () => wallet.balance(asset),
  passTime: (timelock: number) => wallet.passTime(timelock),
})

const families: readonly Family[] = [
  { ...of(tron, 'tron_localnet:usdt'), amount: 300_000_000n, fees: 0n, wallet: tronWebWallet(tron.tronWeb) },
  { ...of(hypercore, 'hypercore_localnet:purr'), amount: 2_500_000n, fees: 0n, wallet: evmWalletOf(story, 'hypercore_localnet') },
  { ...of(starknet, 'starknet_localnet:wbtc'), amount: 1_000_000n, fees: 0n, wallet: starknetAccountWallet(starknetAccount) },
  { ...of(solana, 'solana_localnet:sol'), amount: 2_000_000_000n, fees: 10_000_000n, wallet: await walletOfSolana(solana.address) },
  { ...of(solana, 'solana_localnet:usdc'), amount: 50_000_000n, fees: 0n, wallet: await walletOfSolana(solana.address) },
  { ...of(sui, 'sui_localnet:sui'), amount: 5_000_000_000n, fees: 100_000_000n, wallet: walletOfSui(sui.address) },
  {
    ...of(xrpl, 'xrpl_localnet:xrp'),
    amount: 100_000_000n,
    fees: 10_000n,
    wallet: xrplJsWallet(walletOfKey(keyOn('xrpl_localnet')), xrplClient),
    fundingSeconds: 3600,
  },
]

const suiAssets = info.chains.sui_localnet?.assets['sui_localnet:sui']
const deployments = { 'sui_localnet:sui': { ...suiAssets, package: String(info.chains.sui_localnet?.package_id) } }
const arbitrum = evmWalletOf(story, 'arbitrum_localnet')
const GONE = { baseUrl: 'http://127.0.0.1:1', retries: 0 }

async function withLimit(tandem: Tandem, request: QuoteRequest & { readonly fromAmount: bigint }) {
  const { net_amount, destination } = await tandem.quote(request)
  return { ...request, minToAmount: BigInt(net_amount ?? destination.amount) }
}

test.each(families)('to $asset: the SDK has seen the lock before it shows the secret', async ({ asset, balance }) => {
  const before = await balance()
  const { done } = await swapBySdk(story, arbitrum, { from: DOLLARS, to: asset, fromAmount: 60_000_000n }, deployments)
  expect(await balance()).toBe(before + BigInt(done.destination_swap.amount))
})

test.each(families)('to $asset: the service is gone, and the user redeems with a wallet', async ({ asset, balance, wallet, fees }) => {
  const storage = memoryStorage()
  const tandem = tandemOf(story, deployments, { storage })
  const request = await withLimit(tandem, { from: DOLLARS, to: asset, fromAmount: 60_000_000n, recipient: story.ownerOf(asset) })
  const before = await balance()
  let [orderId, amount] = ['', 0n]
  for await (const step of tandem.swap(request, arbitrum)) {
    if (step.kind !== 'changed' || step.record.next_action?.what !== 'reveal_secret') continue
    orderId = step.orderId
    amount = BigInt(step.record.destination_swap.amount)
    break
  }
  const alone = tandemOf(story, deployments, { storage, ...GONE })
  expect((await alone.swaps()).map(({ phase }) => phase)).toEqual(['paid'])
  await expect(alone.redeem(orderId)).rejects.toThrow('name a wallet')
  await alone.redeem(orderId, { wallet })
  expect((await alone.swaps()).map(({ phase }) => phase)).toEqual(['revealed'])
  await story.untilStatus(orderId, 'counterparty_redeemed')
  const received = (await balance()) - before
  // On Sui the sender who deletes an object gets a rebate of its storage.
  expect(received).toBeLessThanOrEqual(amount + fees)
  expect(received).toBeGreaterThanOrEqual(amount - fees)
})

/** The service keeps the secret, and says from then on that the order is redeemed. `reads` counts those of the destination's node. */
function lyingService(node: string) {
  const seen = { hasSecret: false, reads: 0 }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = String(input)
    if (url.startsWith(node)) seen.reads += 1
    if (init?.method === 'PATCH' && url.endsWith('action=redeem')) {
      seen.hasSecret = true
      return Response.json({ status: 'Ok', result: 'a hash of nothing' })
    }
    const answer = await globalThis.fetch(input, init)
    if (!seen.hasSecret || !/\/orders\/[0-9a-f]{64}$/.test(url)) return answer
    const { result, ...rest } = (await answer.json()) as { readonly result: object }
    return Response.json({ ...rest, result: { ...result, status: 'redeemed', next_action: null } })
  }
  return { seen, fetch }
}

/** One of Solana's two assets is enough: they are one program, and an owner's unredeemed orders count against it. */
const tokensOnce = families.filter(({ asset }) => asset !== 'solana_localnet:sol')

// From here on clocks are ahead by the timelock of a destination, much less than the time in which an order can be funded.
test.each(tokensOnce)(
  'to $asset: a service that keeps the secret and says redeemed is not believed, before or after a reload',
  async (family) => {
    const { asset, balance, passTime } = family
    const storage = memoryStorage()
    const { seen, fetch } = lyingService(urlOf(asset.split(':')[0] ?? ''))
    const tandem = tandemOf(story, deployments, { storage, fetch })
    const request = await withLimit(tandem, { from: DOLLARS, to: asset, fromAmount: 25_000_000n, recipient: story.ownerOf(asset) })
    const before = await balance()
    const kinds: string[] = []
    let orderId = ''
    /** The page is closed when the node was asked often enough to have shown it. */
    const follow = async (open: (signal: AbortSignal) => AsyncIterable<{ kind: string; orderId?: string }>) => {
      const page = new AbortController()
      const end = (async () => {
        for await (const step of open(page.signal)) {
          kinds.push(step.kind)
          orderId = step.orderId ?? orderId
        }
      })()
      const closed = expect(end).rejects.toMatchObject({ name: 'AbortError' })
      await story.eventually('the secret', async () => seen.hasSecret)
      const { reads } = seen
      await story.eventually('reads of the node', async () => seen.reads > reads + 5)
      page.abort()
      await closed
    }
    await follow((signal) => tandem.swap(request, arbitrum, { signal }))
    await follow((signal) => tandem.resume(orderId, null, { signal }))
    expect(new Set(kinds)).toEqual(new Set(['quoted', 'ordered', 'paid', 'changed']))
    const { destination_swap: lock } = await tandem.client.order(orderId)
    await passTime(lock.timelock)
    await story.makeDue()
    await story.eventually(
      'the refund of the solver',
      async () => (await tandem.client.order(orderId)).destination_swap.refund_tx_hash !== '',
    )
    const again = tandemOf(story, deployments, { storage, fetch }).resume(orderId)
    await expect(again.next()).rejects.toMatchObject({ name: 'UnpaidError', shown: 'refunded' })
    expect(await balance()).toBe(before)
  },
)

// This test must be last: service and solver are stopped, and clocks are ahead.
test('from every chain: all parties are gone, and the user refunds with a wallet after the timelock, by the storage or by the phrase alone', async () => {
  const storage = memoryStorage()
  const { phrase, keys } = await newRescueKeys(storage)
  const tandem = tandemOf(story, deployments, { storage, keys })
  const left: (Family & { readonly orderId: string; readonly before: bigint; readonly timelock: number })[] = []
  for (const family of families) {
    const { asset, amount, wallet, balance } = family
    const before = await balance()
    const request = await withLimit(tandem, { from: asset, to: DOLLARS, fromAmount: amount, recipient: story.ownerOf(DOLLARS) })
    let orderId = ''
    for await (const step of tandem.swap(request, wallet)) {
      if (step.kind !== 'ordered') continue
      orderId = step.orderId
      break
    }
    const { source_swap: source } = await tandem.client.order(orderId)
    left.push({ ...family, orderId, before, timelock: source.timelock })
  }
  await story.stack.solver.setRunning(false)
  for (const { orderId, wallet } of left) {
    for await (const { kind } of tandem.resume(orderId, wallet)) if (kind === 'paid') break
    await story.untilStatus(orderId, 'initiated')
  }
  await story.stack.service.setRunning(false)
  const alone = tandemOf(story, deployments, { storage, keys, ...GONE })
  const empty = memoryStorage()
  const byPhrase = tandemOf(story, deployments, { storage: empty, keys: await rescueKeys(phrase, empty), ...GONE })
  const addresses = Object.fromEntries(families.map(({ asset }) => [asset.split(':')[0] ?? '', story.ownerOf(asset)]))
  const { locks, searched } = await byPhrase.findLocks({ addresses })
  expect(searched.map(({ problem }) => problem)).toEqual(searched.map(() => null))
  const found = locks.map(({ asset, index, leg, isYours, can, terms }) => ({ asset, index, leg, isYours, can, amount: terms.amount }))
  const expected = families.map(({ asset, amount }, index) => ({ asset, index, leg: 'source', isYours: true, can: 'wait', amount }))
  expect(found).toEqual(expected.toReversed())
  for (const [index, { asset, orderId, before, balance, wallet, amount, fees, passTime, timelock, fundingSeconds = 0 }] of left.entries()) {
    expect([asset, (await balance()) <= before - amount]).toEqual([asset, true])
    await expect(alone.refund(orderId)).rejects.toMatchObject({ name: 'NetworkError' })
    await passTime(timelock + fundingSeconds)
    const lock = locks.find((one) => one.asset === asset)
    if (index % 2 === 1 && lock !== undefined) await alone.refund(orderId, { wallet })
    else if (lock !== undefined) await byPhrase.settleLock(lock, { wallet })
    await story.eventually(`the refund on ${asset}`, async () => (await balance()) >= before - fees)
    expect([asset, (await balance()) <= before]).toEqual([asset, true])
  }
})
