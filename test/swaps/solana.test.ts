/** Users with @solana/kit swap SOL and tokens on the local Solana chain. The stories end with balances, rent included. */
import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import {
  type Address,
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createKeyPairFromPrivateKeyBytes,
  createNoopSigner,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { SolanaSignAndSendTransactionFeature, SolanaSignTransactionFeature } from '@solana/wallet-standard-features'
import { getTransferSolInstruction } from '@solana-program/system'
import { solanaWallet } from '@tandem/sdk'
import { solanaLocal } from '@tandem/solana/local/local.ts'
import { createLocalSigner } from '@tandem/solana/local/local-signer.ts'
import { getWallets } from '@wallet-standard/app'
import { afterAll, describe, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'
import { tellOfInstantRefund } from './tell-of-instant-refund.ts'

const SOL = 'solana_localnet:sol'
const USDC = 'solana_localnet:usdc'
const BTC = 'bitcoin_regtest:btc'
const DOLLARS = 'arbitrum_localnet:usdc'
const FEE = 5_000n

const story = await tellStory('bitcoin_regtest', 'arbitrum_localnet', 'solana_localnet')
const chain = story.stack.network.control('solana_localnet', solanaLocal)
const wallet = story.wallet('solana_localnet', solanaLocal)
const rpc = createSolanaRpc(chain.url)
const { order } = story

const lamports = async (owner: string) => (await rpc.getBalance(address(owner), { commitment: 'confirmed' }).send()).value
const sol = () => lamports(wallet.address)
const fresh = () => createLocalSigner(randomBytes(32)).address
async function tokensOf(owner: Address): Promise<bigint> {
  const mint = address(story.contractsOf(USDC).token)
  const { value } = await rpc.getTokenAccountsByOwner(owner, { mint }, { commitment: 'confirmed', encoding: 'jsonParsed' }).send()
  return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n)
}
/** These orders still have their account, with its rent. */
async function accountsLeft(): Promise<number> {
  const accounts = await rpc
    .getProgramAccounts(address(story.contractsOf(USDC).htlc), { encoding: 'base64', commitment: 'confirmed' })
    .send()
  return accounts.length
}
function gaslessOf(created: CreatedOrder): { readonly transaction: string; readonly relay: Address } {
  const transaction = created.versioned_tx_gasless ?? ''
  const [relay = ''] = Object.keys(getTransactionDecoder().decode(getBase64Encoder().encode(transaction)).signatures)
  return { transaction, relay: address(relay) }
}
const fundingOf = async ({ order_id: id }: CreatedOrder) => (await story.api.call('GET', `/orders/${id}/funding`)) as CreatedOrder

const start = { sol: await sol(), usdc: await wallet.balance(USDC) }
/** This is the change of the user's lamports so far: locked or received, and paid in fees. */
let spent = 0n

test('SOL is swapped to BTC by a transaction that the user sends', async () => {
  const before = await story.balance(BTC)
  const created = await order(SOL, BTC, 2_000_000_000n)
  expect(created.versioned_tx_gasless).toBeNull()
  const initiated = await wallet.fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap).toMatchObject({ initiate_tx_hash: initiated, filled_amount: '2000000000' })
  expect(await story.balance(BTC)).toBeGreaterThan(before)
  spent += 2_000_000_000n + FEE
})

test('the SDK swaps with a wallet of the wallet standard: SOL by a transaction, USDC by a signature', async () => {
  const key = story.info.wallets.find((one) => one.address === wallet.address)?.private_key ?? ''
  const keyPair = await createKeyPairFromPrivateKeyBytes(Buffer.from(key.replace(/^0x/, ''), 'hex'))
  const sign = (bytes: Uint8Array) => partiallySignTransaction([keyPair], getTransactionDecoder().decode(bytes))
  const account = {
    address: wallet.address,
    publicKey: base58.decode(wallet.address),
    chains: ['solana:localnet'],
    features: ['solana:signAndSendTransaction', 'solana:signTransaction'],
  } as const
  const features: SolanaSignAndSendTransactionFeature & SolanaSignTransactionFeature = {
    'solana:signAndSendTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: [0],
      async signAndSendTransaction(...inputs) {
        const sent = inputs.map(async ({ transaction }) => {
          const wire = getBase64EncodedWireTransaction(await sign(transaction))
          return { signature: base58.decode(await rpc.sendTransaction(wire, { encoding: 'base64' }).send()) }
        })
        return Promise.all(sent)
      },
    },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: [0],
      signTransaction: async (...inputs) =>
        Promise.all(
          inputs.map(async ({ transaction }) => ({
            signedTransaction: Uint8Array.from(getTransactionEncoder().encode(await sign(transaction))),
          })),
        ),
    },
  }
  const chains = ['solana:localnet'] as const
  getWallets().register({
    version: '1.0.0',
    name: 'A wallet of Solana',
    icon: 'data:image/png;base64,',
    chains,
    accounts: [account],
    features,
  })
  const registered = getWallets()
    .get()
    .find(({ name }) => name === 'A wallet of Solana')
  if (registered === undefined) throw new Error('no wallet is registered')
  const before = await wallet.balance(USDC)
  const sent = await swapBySdk(story, solanaWallet(registered), { from: SOL, to: BTC, fromAmount: 2_000_000_000n })
  spent += 2_000_000_000n + FEE
  expect(sent.done.source_swap.initiate_tx_hash).toBe(sent.tx)
  const signed = await swapBySdk(story, solanaWallet(registered), { from: USDC, to: DOLLARS, fromAmount: 20_000_000n, gasless: true })
  expect(signed.done.source_swap.initiate_tx_hash).toBe(signed.tx)
  expect(await wallet.balance(USDC)).toBe(before - 20_000_000n)
})

test('BTC is swapped to SOL by a plain deposit', async () => {
  const before = await sol()
  const created = await order(BTC, SOL, 500_000n)
  await story.bitcoin().pay(created.to ?? '', 500_000n)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  const received = BigInt(done.destination_swap.amount)
  expect(await sol()).toBe(before + received)
  spent -= received
})

test('USDC on an EVM chain is swapped to a recipient without a token account: the solver pays for the account', async () => {
  const recipient = fresh()
  const { relay } = gaslessOf(await order(USDC, DOLLARS, 20_000_000n))
  const before = await lamports(relay)
  const quote = await story.api.quote({ from: DOLLARS, to: USDC, from_amount: '50000000' })
  const created = await story.api.createOrder({
    source: { asset: DOLLARS, owner: story.ownerOf(DOLLARS), amount: quote.source.amount },
    destination: { asset: USDC, owner: recipient, amount: quote.destination.amount },
  })
  await story.evm('arbitrum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await tokensOf(recipient)).toBe(BigInt(done.destination_swap.amount))
  expect(await lamports(recipient)).toBe(0n)
  expect(before - (await lamports(relay))).toBe(FEE)
})

test('a blockhash that expires before the PATCH is refused by name; a fresh one is swapped, and costs the user no lamport', async () => {
  const before = { sol: await sol(), usdc: await wallet.balance(USDC), dollars: await story.balance(DOLLARS) }
  const created = await order(USDC, DOLLARS, 40_000_000n)
  const signed = await wallet.signInitiation(created)
  const { relay } = gaslessOf(created)
  const relayBefore = await lamports(relay)
  chain.mine(160)
  await expect(story.api.initiate(created.order_id, signed)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('GET /orders/{order_id}/funding returns a fresh one'),
  })
  expect(await lamports(relay)).toBe(relayBefore)
  const again = await fundingOf(created)
  expect(again.versioned_tx_gasless).not.toBe(created.versioned_tx_gasless)
  const relayed = await story.api.initiate(created.order_id, await wallet.signInitiation(again))
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await sol()).toBe(before.sol)
  expect(await wallet.balance(USDC)).toBe(before.usdc - 40_000_000n)
  expect(await story.balance(DOLLARS)).toBe(before.dollars + BigInt(done.destination_swap.amount))
})

test('a hostile user gets nothing signed by the fee payer, and costs it nothing', async () => {
  const [created, another] = [await order(USDC, DOLLARS, 30_000_000n), await order(USDC, DOLLARS, 31_000_000n)]
  const { transaction, relay } = gaslessOf(created)
  const before = await lamports(relay)
  const { value: lifetime } = await rpc.getLatestBlockhash().send()
  const theft = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(relay, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => {
      const [source, destination] = [createNoopSigner(relay), address(wallet.address)]
      return appendTransactionMessageInstruction(getTransferSolInstruction({ source, destination, amount: 1_000_000_000n }), message)
    },
    compileTransaction,
    getBase64EncodedWireTransaction,
  )
  const cases: readonly (readonly [string, string])[] = [
    ['not base64', 'not base64!'],
    ['a transfer from the fee payer', theft],
    ['the transaction of another order', await wallet.signInitiation(another)],
    ['no signature', transaction],
    ['the transaction that the user pays for', await wallet.sign(created.versioned_tx ?? '')],
  ]
  for (const [what, signature] of cases)
    await expect(story.api.initiate(created.order_id, signature), what).rejects.toMatchObject({ code: 'invalid_signature' })

  // A user without the tokens is refused before anything is sent.
  const local = story.info.chains.solana_localnet
  if (local === undefined) throw new Error('there is no local Solana')
  const poor = solanaLocal.openWallet(local, randomBytes(32).toString('hex'))
  const quote = await story.api.quote({ from: USDC, to: DOLLARS, from_amount: '20000000' })
  const broke = await story.api.createOrder({
    source: { asset: USDC, owner: poor.address, amount: quote.source.amount },
    destination: { asset: DOLLARS, owner: story.ownerOf(DOLLARS), amount: quote.destination.amount },
  })
  const signed = await poor.signInitiation(broke)
  await expect(story.api.initiate(broke.order_id, signed)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('holds 0'),
  })
  expect(await lamports(relay)).toBe(before)
})

describe.each([
  { asset: USDC, amount: 20_000_000n, maxGas: 0n },
  // The rent of an order comes back when it is closed.
  { asset: SOL, amount: 1_000_000_000n, maxGas: 2_060_160n + FEE },
])('an instant refund of $asset', ({ asset, amount, maxGas }) => {
  const fund = async (created: CreatedOrder) => {
    spent += FEE
    await wallet.fund(created)
  }
  tellOfInstantRefund(story, { asset, destination: DOLLARS, amount, maxGas, fund })
  afterAll(() => {
    // One of the swaps is completed.
    if (asset === SOL) spent += amount
    else start.usdc -= amount
  })
})

test('the solver is gone: the tokens are refunded after the timelock; then the payers have all rent back', async () => {
  const created = await order(USDC, BTC, 60_000_000n)
  await story.stack.solver.setRunning(false)
  await wallet.fund(created)
  spent += FEE
  const funded = await story.untilStatus(created.order_id, 'initiated')
  expect(await accountsLeft()).toBeGreaterThan(4)
  // The time is past the timelock, and past the time until which the orders could be initiated.
  await wallet.passTime(Math.max(funded.source_swap.timelock, 10_000))
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await wallet.balance(USDC)).toBe(start.usdc - 60_000_000n)

  await story.stack.solver.setRunning(true)
  story.bitcoinChain().mine(8)
  for (let block = 0; block < 14; block += 1) await story.evmChain('arbitrum_localnet').request({ method: 'evm_mine', params: [] })
  await story.eventually('all settled accounts to be closed', async () => {
    await story.makeDue()
    return (await accountsLeft()) === 0
  })
  expect(await sol()).toBe(start.sol - spent)
})
