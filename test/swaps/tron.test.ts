/** Users with TronWeb swap TRC-20 tokens on the simulator. */

import { tronLinkWallet, tronWebWallet } from '@tandem/sdk'
import { tronLocal } from '@tandem/tron/local/local.ts'
import { signInitiation } from '@tandem/tron/local/wallet.ts'
import { fromEvmAddress, toEvmAddress } from '@tandem/tron/terms/address.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'
import { swapBySdk, tandemOf } from './swap-by-sdk.ts'
import { type Deposited, orderWithAddress, tellOfDeposit } from './tell-of-deposit-address.ts'

const USDT = 'tron_localnet:usdt'
const WBTC = 'tron_localnet:wbtc'
const BTC = 'bitcoin_regtest:btc'

const story = await tellStory('bitcoin_regtest', 'arbitrum_localnet', 'tron_localnet')
const wallet = story.wallet('tron_localnet', tronLocal)
const { order } = story

const tokens = (asset: string) => wallet.balance(asset)
const trx = async () => BigInt(await wallet.tronWeb.trx.getUnconfirmedBalance(wallet.address))

/** The numbers of a transaction must be decimal. */
async function send(request: CreatedOrder['approval_transaction']): Promise<string> {
  if (request === undefined || request === null) throw new Error('POST /orders did not return this transaction')
  expect([request.value, request.gas_limit].every((number) => /^[0-9]+$/.test(number))).toBe(true)
  return wallet.send(request)
}

test('USDT is swapped to BTC by one signature of TronWeb: the user pays no energy', async () => {
  const approved = await order(USDT, BTC, 300_000_000n)
  await send(approved.approval_transaction)
  const before = { trx: await trx(), dollars: await tokens(USDT), bitcoin: await story.balance(BTC) }

  const created = await order(USDT, BTC, 300_000_000n)
  expect(created.approval_transaction).toBeNull()
  expect(created.typed_data).toMatchObject({
    primaryType: 'Initiate',
    domain: { verifyingContract: story.contractsOf(USDT).htlc },
    message: { amount: '300000000', destinationData: '0x' },
  })
  const signature = signInitiation(wallet.tronWeb, wallet.privateKey, created.typed_data)
  const relayed = await story.api.initiate(created.order_id, signature)
  expect(relayed).toMatch(/^[0-9a-f]{64}$/)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await trx()).toBe(before.trx)
  expect(await tokens(USDT)).toBe(before.dollars - 300_000_000n)
  expect(await story.balance(BTC)).toBeGreaterThan(before.bitcoin)
})

test('no token of Tron has signature_offers, in the catalog or in an order', async () => {
  type Listed = readonly { readonly id: string; readonly signature_offers?: readonly string[] }[]
  const offersOf = async (id: string) =>
    ((await story.api.call('GET', '/assets')) as Listed).find((asset) => asset.id === id)?.signature_offers
  // The catalog asks for each asset when it is first read. Once it knows those of another chain it has asked for all.
  await offersOf(USDT)
  await expect.poll(() => offersOf('arbitrum_localnet:usdc')).toContain('authorization')
  for (const asset of [USDT, WBTC]) expect(await offersOf(asset)).toBeUndefined()
  expect((await order(WBTC, BTC, 500_000n)).signature_offers).toBeUndefined()
})

test('the SDK swaps with TronLink: by transactions, and by a signature', async () => {
  const before = { wrapped: await tokens(WBTC), dollars: await tokens(USDT) }
  // TronLink injects this form.
  const tronLink = tronLinkWallet({ tronWeb: wallet.tronWeb, request: async () => ({ code: 200 }) })
  const sent = await swapBySdk(story, tronLink, { from: WBTC, to: 'arbitrum_localnet:usdc', fromAmount: 500_000n })
  expect(sent.done.source_swap.initiate_tx_hash).toBe(sent.tx)
  const signed = await swapBySdk(story, tronWebWallet(wallet.tronWeb), { from: USDT, to: BTC, fromAmount: 300_000_000n, gasless: true })
  expect(signed.done.source_swap.initiate_tx_hash).toBe(signed.tx)
  expect([await tokens(WBTC), await tokens(USDT)]).toEqual([before.wrapped - 500_000n, before.dollars - 300_000_000n])
})

test('BTC is swapped to USDT by a plain deposit', async () => {
  const before = await tokens(USDT)
  const created = await order(BTC, USDT, 500_000n)
  await story.bitcoin().pay(created.to ?? '', 500_000n)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await tokens(USDT)).toBe(before + BigInt(done.destination_swap.amount))
})

test('WBTC on Tron is swapped to USDC on an EVM chain by transactions that the user sends', async () => {
  const before = { wrapped: await tokens(WBTC), dollars: await story.balance('arbitrum_localnet:usdc') }
  const created = await order(WBTC, 'arbitrum_localnet:usdc', 500_000n)
  await send(created.approval_transaction)
  const initiated = await send(created.initiate_transaction)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(initiated)
  expect(await tokens(WBTC)).toBe(before.wrapped - 500_000n)
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before.dollars + BigInt(done.destination_swap.amount))
})

const deposited: Deposited = {
  asset: USDT,
  destination: 'arbitrum_localnet:usdc',
  amount: 60_000_000n,
  freshOwner: async () => fromEvmAddress(privateKeyToAccount(generatePrivateKey()).address),
  async pay(to, amount) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [toEvmAddress(to), amount] })
    return wallet.send({ chain_id: 31339, to: story.contractsOf(USDT).token, data, value: '0', gas_limit: '100000000' })
  },
  async balanceOf(owner) {
    const token = wallet.tronWeb.contract([...erc20Abi], story.contractsOf(USDT).token)
    return BigInt(await token.methods.balanceOf(owner).call())
  },
}

test('a return costs some dollars: beyond the limit of a day the owner is told, and anybody returns the money by the package', async () => {
  const [owner, surplus] = [await deposited.freshOwner(), 6_000_000n]
  const { id, to, kept } = await orderWithAddress(story, deposited, owner)
  await deposited.pay(to, deposited.amount + surplus)
  await story.untilStatus(id, 'counterparty_redeemed')
  await story.eventually('the surplus to come back', async () => (await deposited.balanceOf(owner)) === surplus)
  await deposited.pay(to, deposited.amount)
  const told = await story.until(
    id,
    'the owner to be told',
    ({ next_action: next }) => next?.what === 'reclaim_deposit' && next.who === 'user',
  )
  expect(told.next_action).toMatchObject({ why: expect.stringMatching(/network fees of refunds today.*the SDK return it/) })
  expect(await deposited.balanceOf(owner)).toBe(surplus)
  await tandemOf(story).returnDeposit(kept, { wallet: tronWebWallet(wallet.tronWeb) })
  await story.eventually('the second payment to come back', async () => (await deposited.balanceOf(owner)) === surplus + deposited.amount)
})

describe('a service that pays for more a day:', () => {
  beforeAll(() =>
    story.restart('service', (config) => {
      config.instant_refunds = { owner_usd_per_day: '100', app_usd_per_day: '500' }
    }),
  )
  tellOfDeposit(story, deposited)
})

test('the solver is down: USDT is refunded after the timelock, although its transfers return false', async () => {
  const before = await tokens(USDT)
  const created = await order(USDT, BTC, 50_000_000n)
  await story.stack.solver.setRunning(false)
  if (created.approval_transaction !== null) await send(created.approval_transaction)
  await send(created.initiate_transaction)
  await story.untilStatus(created.order_id, 'initiated')
  expect(await tokens(USDT)).toBe(before - 50_000_000n)
  await wallet.passTime(1_300)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await tokens(USDT)).toBe(before)
  await story.stack.solver.setRunning(true)
})

// This test must be last: its clock is ahead of every deadline afterwards.
test('USDT that arrives after the deadline is refunded at once, and the user pays no energy for it', async () => {
  const before = await tokens(USDT)
  const created = await order(USDT, BTC, 50_000_000n)
  await wallet.passTime(3_700)
  if (created.approval_transaction !== null) await send(created.approval_transaction)
  await send(created.initiate_transaction)
  const coins = await trx()
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  expect([await tokens(USDT), await trx()]).toEqual([before, coins])
})
