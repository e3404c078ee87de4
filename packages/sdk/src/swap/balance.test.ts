/** Tests the most that a wallet can pay after fees. */
import { payByPsbt } from '@tandem/bitcoin/browser/pay-by-psbt.ts'
import { InsufficientFundsError } from '@tandem/chain-kit/browser/refusals.ts'
import { expect, test } from 'vitest'
import { createTandem } from '../tandem.ts'
import { chainNamed } from '../verify/pinned.ts'

const ESPLORA = 'http://esplora.test'
const RPC = 'http://rpc.test'
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const HTLC = 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6'
const ACCOUNT = `0x${'a1'.repeat(20)}`
const TOKEN = `0x${'b2'.repeat(20)}`
const GWEI = 10n ** 9n

const coins = (...amounts: readonly number[]) =>
  amounts.map((value, index) => ({ txid: String(index + 1).repeat(64), vout: 0, value, status: { confirmed: true, block_height: 1 } }))

/** An Esplora and an EVM node. `calls`: of the latter. */
function nodes(utxos: ReturnType<typeof coins>, answers: Readonly<Record<string, string>> = {}) {
  const calls: unknown[] = []
  const ask = (async (url: string, init?: { readonly body?: string }) => {
    if (url === `${ESPLORA}/address/${ADDRESS}/utxo`) return Response.json(utxos)
    if (url === `${ESPLORA}/fee-estimates`) return Response.json({ 1: 20, 3: 10 })
    const { method, params } = JSON.parse(init?.body ?? '{}') as { readonly method: string; readonly params: unknown }
    calls.push([method, params])
    return Response.json({ jsonrpc: '2.0', id: 1, result: answers[method] })
  }) as unknown as typeof fetch
  const tandem = createTandem({
    baseUrl: 'http://service.test/v2',
    appId: 'ab',
    nodes: { bitcoin_regtest: ESPLORA, ethereum_localnet: RPC, xrpl_localnet: RPC },
    deployments: {
      'ethereum_localnet:wbtc': { htlc: `0x${'c3'.repeat(20)}`, token: TOKEN },
      'ethereum_localnet:eth': { htlc: `0x${'c4'.repeat(20)}` },
    },
    fetch: ask,
  })
  return { tandem, ask, calls }
}

test('on chains of the Bitcoin family the maximum is what a payment of all coins that are worth their fee leaves', async () => {
  const { tandem, ask } = nodes(coins(100_000, 7_000_000, 300))
  const { balance, spendable } = (await tandem.balance('bitcoin_regtest:btc', ADDRESS)) ?? { balance: 0n, spendable: 0n }
  expect(balance).toBe(7_100_300n)
  // Two inputs of 68 vB, two outputs, 10 sat/vB and a quarter on top: the coin of 300 costs more than it is worth.
  const fee = 7_100_000n - spendable
  expect([fee > 2_600n, fee < 3_000n]).toEqual([true, true])

  const chain = chainNamed('bitcoin_regtest')
  const wallet = { address: ADDRESS, esplora: ESPLORA, fetch: ask, signPsbt: () => Promise.reject(new Error('asked to sign')) }
  await expect(payByPsbt(wallet, { chain, to: HTLC, amount: spendable })).rejects.toThrow('asked to sign')
  const tooMuch = payByPsbt(wallet, { chain, to: HTLC, amount: 50_000_000n })
  await expect(tooMuch).rejects.toThrow(InsufficientFundsError)
  await expect(tooMuch).rejects.toMatchObject({ asset: 'bitcoin_regtest:btc', held: 7_100_300n })
})

test('without coins nothing can be paid', async () => {
  expect(await nodes([]).tandem.balance('bitcoin_regtest:btc', ADDRESS)).toEqual({ balance: 0n, spendable: 0n })
})

test('the maximum of an EVM coin leaves the fee of an initiation; the maximum of a token is its whole balance', async () => {
  const answers = {
    eth_getBalance: '0xde0b6b3a7640000',
    eth_gasPrice: `0x${(10n * GWEI).toString(16)}`,
    eth_call: `0x${'0'.repeat(60)}1234`,
  }
  const { tandem, calls } = nodes([], answers)
  expect(await tandem.balance('ethereum_localnet:eth', ACCOUNT)).toEqual({
    balance: 10n ** 18n,
    spendable: 10n ** 18n - 200_000n * 20n * GWEI,
  })
  expect(await tandem.balance('ethereum_localnet:wbtc', ACCOUNT)).toEqual({ balance: 0x1234n, spendable: 0x1234n })
  expect(calls.at(-1)).toEqual(['eth_call', [{ to: TOKEN, data: `0x70a08231${ACCOUNT.slice(2).padStart(64, '0')}` }, 'latest']])
  const poor = nodes([], { ...answers, eth_getBalance: '0x1' })
  expect(await poor.tandem.balance('ethereum_localnet:eth', ACCOUNT)).toEqual({ balance: 1n, spendable: 0n })
})

test('without a node, or with one that does not answer, no balance is known', async () => {
  const { tandem, calls } = nodes([])
  expect(await tandem.balance('litecoin_regtest:ltc', 'any')).toBeNull()
  expect(await tandem.balance('xrpl_localnet:xrp', 'any')).toBeNull()
  expect(calls).toEqual([])
})
