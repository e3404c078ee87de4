/** Whatever the wallet is asked for, its network is verified first: nothing is paid, shown or sent on another one. */

import { family as bitcoin } from '@tandem/bitcoin/browser/index.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { family as evm } from '@tandem/evm/browser/index.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { restoreSwaps } from '../rescue/restore.ts'
import { createHostileService, quote, request } from './hostile-service.fixture.ts'
import { verifyAndPay } from './pay.ts'
import { makeOrder } from './prepare.ts'
import { redeem } from './receive.ts'
import { refund } from './refund.ts'
import { loadSwap } from './saved-swap.ts'
import { addresses, swapToBitcoin } from './to-bitcoin.fixture.ts'

const nodes = { bitcoin_regtest: 'http://esplora', ethereum_localnet: 'http://rpc' }
const hex = (value: number) => `0x${value.toString(16)}`
const elsewhere = async () => {
  throw new Error('the wallet is on another network')
}
const evmWallet = { families: ['evm'] } as unknown as Wallet
afterEach(() => void vi.restoreAllMocks())

test('before it pays', async () => {
  const { context, wallet, paid } = await createHostileService(nodes)
  const { saved, created } = await makeOrder(context, request, quote, wallet)
  const pay = () => verifyAndPay(context, saved, wallet, { gasless: false, created })
  Object.assign(bitcoin, { verifyWallet: elsewhere })
  try {
    await expect(pay()).rejects.toThrow('another network')
  } finally {
    Reflect.deleteProperty(bitcoin, 'verifyWallet')
  }
  expect(paid).toEqual([])
  await pay()
  expect(paid).toHaveLength(1)
})

test('before it redeems: the secret is not shown', async () => {
  const { context, wallet, chain } = await createHostileService(nodes)
  const { saved, created } = await makeOrder(context, request, quote, wallet)
  await verifyAndPay(context, saved, wallet, { gasless: false, created })
  const seconds = Math.floor(Date.now() / 1000)
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => hex(seconds - 5)
  const sent = vi.spyOn(evm, 'redeem').mockResolvedValue('0x01')
  const asked = vi.spyOn(evm, 'verifyWallet').mockImplementation(elsewhere)
  await expect(redeem(context, saved.orderId, { wallet: evmWallet })).rejects.toThrow('another network')
  expect((await loadSwap(context, saved.orderId)).phase).toBe('paid')
  expect(sent).not.toHaveBeenCalled()
  asked.mockResolvedValue()
  expect(await redeem(context, saved.orderId, { wallet: evmWallet })).toBe('0x01')
})

test('before it refunds', async () => {
  const { context, orderId } = await swapToBitcoin()
  await restoreSwaps(context, { addresses })
  const sent = vi.spyOn(evm, 'refund').mockResolvedValue('0x02')
  const asked = vi.spyOn(evm, 'verifyWallet').mockImplementation(elsewhere)
  await expect(refund(context, orderId, { wallet: evmWallet })).rejects.toThrow('another network')
  expect(sent).not.toHaveBeenCalled()
  asked.mockResolvedValue()
  await refund(context, orderId, { wallet: evmWallet }).catch(() => undefined)
  expect(sent).toHaveBeenCalled()
})
