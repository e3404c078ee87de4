/** Users with xrpl.js swap XRP on the local chain. The stories end with balances. */

import { xrplJsWallet } from '@tandem/sdk'
import { walletOfKey } from '@tandem/xrpl/local/account-keys.ts'
import { xrplLocal } from '@tandem/xrpl/local/local.ts'
import { openXrplClient } from '@tandem/xrpl/local/open-client.ts'
import { expect, test } from 'vitest'
import { type Client, classicAddressToXAddress, Wallet } from 'xrpl'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'

const XRP = 'xrpl_localnet:xrp'
const BTC = 'bitcoin_regtest:btc'
const DOLLARS = 'arbitrum_localnet:usdc'
const COIN = 1_000_000n
/** CancelAfter counts from the deadline of the order. */
const FUNDING_SECONDS = 3600
const [REQUIRE_TAG, DEPOSIT_AUTH] = [1, 9]

const story = await tellStory('bitcoin_regtest', 'arbitrum_localnet', 'xrpl_localnet')
const wallet = story.wallet('xrpl_localnet', xrplLocal)
const url = String(story.info.chains.xrpl_localnet?.ws_url)
const start = await wallet.balance(XRP)
/** This is the amount that the user locked or paid as fees, less the amount it received. */
let spent = 0n
let paidTwice: string

const paidFor = async (): Promise<bigint> => start - spent - (await wallet.balance(XRP))
/** Wallets add a fifth to the least fee of a plain transaction. */
const maxFees = (transactions: bigint) => transactions * 100n

async function onChain<T>(ask: (client: Client) => Promise<T>): Promise<T> {
  const client = await openXrplClient(url)
  try {
    return await ask(client)
  } finally {
    await client.disconnect()
  }
}

/** The account has a flag if one is given. */
async function openAccount(flag?: number): Promise<string> {
  const other = Wallet.generate()
  await wallet.send({ TransactionType: 'Payment', Destination: other.classicAddress, Amount: (20n * COIN).toString() })
  if (flag !== undefined) {
    await onChain(async (client) => {
      const { tx_blob } = other.sign(await client.autofill({ TransactionType: 'AccountSet', Account: other.classicAddress, SetFlag: flag }))
      await client.submitAndWait(tx_blob)
    })
  }
  spent = start - (await wallet.balance(XRP))
  return other.classicAddress
}

async function orderTo(owner: string): Promise<CreatedOrder> {
  const quote = await story.api.quote({ from: DOLLARS, to: XRP, from_amount: '300000000' })
  return story.api.createOrder({
    source: { asset: DOLLARS, owner: story.ownerOf(DOLLARS), amount: quote.source.amount },
    destination: { asset: XRP, owner, amount: quote.destination.amount },
  })
}

test('the SDK swaps XRP with a wallet of xrpl.js', async () => {
  const key = story.info.wallets.find(({ address }) => address === wallet.address)?.private_key ?? ''
  const { done, tx } = await onChain((client) =>
    swapBySdk(story, xrplJsWallet(walletOfKey(key), client), { from: XRP, to: DOLLARS, fromAmount: 100n * COIN }),
  )
  expect(done.source_swap).toMatchObject({ initiate_tx_hash: tx, filled_amount: (100n * COIN).toString() })
  spent = start - (await wallet.balance(XRP))
  expect(spent).toBeLessThan(100n * COIN + maxFees(1n))
})

test('XRP is swapped to USDC by one escrow of xrpl.js', async () => {
  const created = await story.order(XRP, DOLLARS, 100n * COIN)
  const escrow = created.escrow_create_tx
  expect(Object.keys(created).sort()).toEqual(['escrow_create_tx', 'order_id', 'order_token'])
  expect(Object.keys(escrow ?? {})).toEqual(['TransactionType', 'Account', 'Destination', 'Amount', 'Condition', 'CancelAfter'])
  const before = await story.balance(DOLLARS)
  const hash = await wallet.fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  spent += 100n * COIN
  expect(done.source_swap).toMatchObject({ initiate_tx_hash: hash, filled_amount: (100n * COIN).toString(), initiator: wallet.address })
  expect(await story.balance(DOLLARS)).toBe(before + BigInt(done.destination_swap.amount))
  await story.untilSeen('solver', created.order_id, 'source redeemed')
  const fees = await paidFor()
  expect(fees).toBeGreaterThan(0n)
  expect(fees).toBeLessThan(maxFees(1n))
  spent += fees
})

test('USDC is swapped to XRP at an exchange, with the destination tag', async () => {
  const exchange = await openAccount(REQUIRE_TAG)
  const before = await wallet.balanceOf(exchange)
  const created = await orderTo(classicAddressToXAddress(exchange, 4711, true))
  await story.evm('arbitrum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap.redeemer).toBe(classicAddressToXAddress(exchange, 4711, true))
  expect(await wallet.balanceOf(exchange)).toBe(before + BigInt(done.destination_swap.amount))
  const { result } = await onChain((client) => client.request({ command: 'tx', transaction: done.destination_swap.initiate_tx_hash }))
  expect(result.tx_json).toMatchObject({ TransactionType: 'EscrowCreate', Destination: exchange, DestinationTag: 4711 })
})

test('XRP is swapped to BTC; a second escrow of the same order is not paid for', async () => {
  const created = await story.order(XRP, BTC, 200n * COIN)
  const before = await story.balance(BTC)
  const escrow = { ...created.escrow_create_tx }
  const first = await wallet.send(escrow)
  await wallet.send(escrow)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap).toMatchObject({ initiate_tx_hash: first, filled_amount: (200n * COIN).toString() })
  expect((await story.balance(BTC)) - before).toBeGreaterThan(BigInt(done.destination_swap.amount) - 5_000n)
  await story.untilSeen('solver', created.order_id, 'source redeemed')
  spent += 400n * COIN
  const fees = await paidFor()
  expect(fees).toBeLessThan(maxFees(2n))
  spent += fees
  paidTwice = created.order_id
})

test('accounts that cannot be paid or refunded are refused before an order is made', async () => {
  const refused = (owner: string, words: RegExp) =>
    expect(orderTo(owner)).rejects.toMatchObject({ httpStatus: 400, code: 'invalid_address', message: expect.stringMatching(words) })
  await refused(Wallet.generate().classicAddress, /does not exist on the ledger yet/)
  await refused(await openAccount(REQUIRE_TAG), /requires a destination tag/)
  await refused(await openAccount(DEPOSIT_AUTH), /DepositAuth/)
  await refused(classicAddressToXAddress(wallet.address, 7, false), /is for the main network/)

  const from = async (source: Readonly<Record<string, string>>) => {
    const quote = await story.api.quote({ from: XRP, to: DOLLARS, from_amount: (50n * COIN).toString() })
    return story.api.createOrder({
      source: { asset: XRP, owner: wallet.address, amount: quote.source.amount, ...source },
      destination: { asset: DOLLARS, owner: story.ownerOf(DOLLARS), amount: quote.destination.amount },
    })
  }
  await expect(from({ owner: classicAddressToXAddress(wallet.address, 7, true) })).rejects.toMatchObject({
    code: 'invalid_address',
    message: expect.stringMatching(/has a destination tag: a refund goes to the account alone/),
  })
  await expect(from({ delegate: await openAccount() })).rejects.toMatchObject({
    httpStatus: 400,
    message: expect.stringMatching(/a delegate is not supported/),
  })
  const { order_id: id } = await from({})
  await expect(story.api.call('PATCH', `/orders/${id}?action=initiate`, { signature: '0x00' })).rejects.toMatchObject({
    httpStatus: 400,
    message: expect.stringMatching(/not supported for initiations/),
  })
})

test('the secret is not shown: the solver gets its XRP back, then the user its USDC', async () => {
  const before = await story.balance(DOLLARS)
  const created = await orderTo(wallet.address)
  await story.waitFor(created.order_id, 1000)
  await story.evm('arbitrum_localnet').fund(created)
  await story.untilSeen('solver', created.order_id, 'destination initiated')
  const { destination_swap: swap } = await story.until(
    created.order_id,
    'a destination',
    (order) => order.destination_swap.initiate_tx_hash !== '',
  )
  await wallet.passTime(swap.timelock)
  await story.untilSeen('solver', created.order_id, 'destination refunded')
  await story.passTime('arbitrum_localnet', 1300)
  await story.untilStatus(created.order_id, 'refunded')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect(await story.balance(DOLLARS)).toBe(before)
  expect(await paidFor()).toBe(0n)
})

// This test must be last: the clock of the chain is then far ahead of the service's, and new escrows would be past their end.
test('after CancelAfter the second escrow is refunded, and so is one whose solver is gone', async () => {
  const created = await story.order(XRP, DOLLARS, 50n * COIN)
  await story.stack.solver.setRunning(false)
  await wallet.fund(created)
  const funded = await story.untilStatus(created.order_id, 'initiated')
  await wallet.passTime(funded.source_swap.timelock + FUNDING_SECONDS)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  await story.untilSeen('service', paidTwice, 'source refunded')
  spent -= 200n * COIN
  const fees = await paidFor()
  expect(fees).toBeGreaterThan(0n)
  expect(fees).toBeLessThan(maxFees(1n))
})
