/** A user without an account on a chain swaps into a token there, and gets the coin to move it with the payout. */

import type { LocalFamily, LocalWallet } from '@tandem/chain-kit/local/local-chain.ts'
import { familyNamed } from '@tandem/families/index.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import { randomPrivateKey } from '@tandem/keys/keyring.ts'
import type { ChainRecord } from '@tandem/protocol/wire/chain.ts'
import { starknetLocal } from '@tandem/starknet/local/local.ts'
import { describe, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'

const BTC = 'bitcoin_regtest:btc'
const SATS = 1_000_000n
const FLOAT_ERROR = 1e-6
/** One chain of each family whose HTLCs are contracts for tokens. */
const CHAINS = ['arbitrum_localnet', 'tron_localnet', 'solana_localnet', 'starknet_localnet', 'sui_localnet']

const story = await tellStory('bitcoin_regtest', ...CHAINS)
const { api, stack } = story
const records = (await api.call('GET', '/chains')) as readonly ChainRecord[]
const offers = records.flatMap(({ chain, native_asset_id: coin, destination_gas: gas, assets }) => {
  const token = assets.find(({ id }) => id !== coin)?.id
  return gas === undefined || token === undefined ? [] : [{ chain, coin, token, gas }]
})

const prices = new Map(Object.entries(stack.network.prices))
const worthOf = (asset: string, display: string) => Number(display) * Number(prices.get(asset))

/** Nobody has seen its address before. */
function newWallet<Wallet extends LocalWallet>(chain: string, family: LocalFamily<unknown, Wallet>): Wallet {
  const local = story.info.chains[chain]
  if (local === undefined) throw new Error(`local.json names no chain ${chain}`)
  return family.openWallet(local, `0x${randomPrivateKey(familyNamed(family.name).curve)}`)
}

async function newWalletOn(chain: string): Promise<LocalWallet> {
  return newWallet(chain, await loadLocalFamily(story.info.chains[chain]?.family ?? ''))
}

async function orderTo(owner: string, token: string, gas: boolean): Promise<CreatedOrder> {
  const quote = await api.quote({ from: BTC, to: token, from_amount: SATS.toString(), ...(gas && { destination_gas: 'true' }) })
  return api.createOrder({
    source: { asset: BTC, owner: story.ownerOf(BTC), amount: quote.source.amount },
    destination: { asset: token, owner, amount: quote.destination.amount },
    ...(gas && { destination_gas: true }),
  })
}

async function paidTo(owner: string, token: string, gas: boolean) {
  const created = await orderTo(owner, token, gas)
  await story.bitcoin().pay(created.to ?? '', SATS)
  return story.untilStatus(created.order_id, 'counterparty_redeemed')
}

test('the catalog offers it where the family can give coin', () => {
  const offered = offers.map(({ chain }) => chain).toSorted()
  expect(offered).toEqual(stack.network.gasGivers.toSorted())
  expect(offered).toEqual(expect.arrayContaining(CHAINS))
})

describe.each(offers)('on $chain', ({ chain, coin, token, gas }) => {
  test('the quote says what is given, and what it costs inside the amounts', async () => {
    const asked = { from: BTC, to: token, from_amount: SATS.toString() }
    const [plain, quote] = [await api.quote(asked), await api.quote({ ...asked, destination_gas: 'true' })]
    expect(plain.destination_gas).toBeUndefined()
    expect(quote.destination_gas).toEqual({ asset: coin, ...gas, fee: expect.any(Number) })
    const { fee = 0 } = quote.destination_gas ?? {}
    // It is rounded up to a whole bip, so that the price of the coin is covered.
    const extra = fee - (10_000 * worthOf(coin, gas.display)) / worthOf(BTC, quote.source.display)
    expect(extra).toBeGreaterThan(-FLOAT_ERROR)
    expect(extra).toBeLessThan(1 + FLOAT_ERROR)
    const less = 10_000 * (1 - Number(quote.destination.amount) / Number(plain.destination.amount))
    expect(Math.abs(less - fee)).toBeLessThan(1)
  })

  test('a new account gets exactly the tokens of the order and the coin, and pays nothing', async () => {
    const wallet = await newWalletOn(chain)
    const { destination_swap: paid } = await paidTo(wallet.address, token, true)
    expect([paid.gas, paid.gas_given]).toEqual([gas.amount, true])
    expect(await wallet.balance(token)).toBe(BigInt(paid.amount))
    expect(await wallet.balance(coin)).toBe(BigInt(gas.amount))
  })

  test('a new account that asked for none gets none', async () => {
    const wallet = await newWalletOn(chain)
    const { destination_swap: paid } = await paidTo(wallet.address, token, false)
    expect(paid.gas).toBeUndefined()
    expect(await wallet.balance(token)).toBe(BigInt(paid.amount))
    expect(await wallet.balance(coin)).toBe(0n)
  })

  test('a recipient that has as much of the coin is told to leave it out', async () => {
    const { address } = await newWalletOn(chain)
    await stack.network.fund(coin, address, BigInt(gas.amount))
    await expect(orderTo(address, token, true)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(`has ${gas.amount} of ${coin} already: leave it out`),
    })
    expect((await orderTo(address, token, false)).order_id).toMatch(/^[0-9a-f]+$/)
  })
})

test('an account that must be deployed pays for that with the coin, and for its next swap', async () => {
  const chain = 'starknet_localnet'
  const offer = offers.find((one) => one.chain === chain)
  if (offer === undefined) throw new Error(`${chain} offers none`)
  const { token, coin, gas } = offer
  const wallet = newWallet(chain, starknetLocal)
  await paidTo(wallet.address, token, true)
  await wallet.deploy()
  const quote = await api.quote({ from: token, to: BTC, from_amount: (await wallet.balance(token)).toString() })
  const created = await api.createOrder({
    source: { asset: token, owner: wallet.address, amount: quote.source.amount },
    destination: { asset: BTC, owner: story.ownerOf(BTC), amount: quote.destination.amount },
  })
  await wallet.fund(created)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await wallet.balance(token)).toBe(0n)
  expect(await wallet.balance(coin)).toBeLessThan(BigInt(gas.amount))
})
