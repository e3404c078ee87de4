/** From this sequence of requests the API document's examples are recorded, and with it they are replayed. */

import { testWallet } from '@tandem/bitcoin/server/script/bip322.fixture.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import type { ApiExample } from '../../packages/reference/document/examples.ts'
import type { Story } from '../swaps/story.ts'

/** The answers so far have the names of their examples. */
export type EarlierAnswers = { result(name: string): Record<string, unknown> }

export type Step = {
  readonly operationId: string
  readonly name: string
  readonly before?: (story: Story, earlier: EarlierAnswers) => Promise<unknown>
  readonly request: (story: Story, earlier: EarlierAnswers) => ApiExample['request'] | Promise<ApiExample['request']>
}

const btc = 'bitcoin_regtest:btc'
const wbtc = 'ethereum_localnet:wbtc'
const usdc = 'arbitrum_localnet:usdc'
const secret = createSecret()
const regtest = networkOf('bitcoin:regtest')
const clientWallet = testWallet('tr', '2'.padStart(64, '0'), regtest)
const newWallet = testWallet('wpkh', '3'.padStart(64, '0'), regtest)
/** This is the x-only public key of `clientWallet`, whose private key is 2. */
const CLIENT_KEY = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'

const orderIn = (earlier: EarlierAnswers, name: string) => String(earlier.result(name).order_id)
const pathOf = (earlier: EarlierAnswers, name: string) => ({ order_id: orderIn(earlier, name) })
const nobody = { order_id: '0'.repeat(64) }

const simple = (operationId: string, name: string, request: ApiExample['request'] = {}): Step => ({
  operationId,
  name,
  request: () => request,
})

const create = (name: string, from: string, to: string, amounts: readonly [string, string], more: object = {}): Step => ({
  operationId: 'createOrder',
  name,
  request: (story) => ({
    body: {
      source: { asset: from, owner: story.ownerOf(from), amount: amounts[0] },
      destination: { asset: to, owner: story.ownerOf(to), amount: amounts[1] },
      ...more,
    },
  }),
})

export const scenario: readonly Step[] = [
  simple('livez', 'alive'),
  simple('readyz', 'ready'),
  simple('getHealth', 'online'),
  simple('listChains', 'one chain', { query: { chain: 'ethereum_localnet' } }),
  simple('listChains', 'unknown asset', { query: { from: 'moon:cheese' } }),
  simple('listAssets', 'what bitcoin can be swapped to', { query: { from: btc, active: 'true' } }),
  simple('listAssets', 'not a boolean', { query: { active: 'maybe' } }),
  simple('getPolicy', 'everything is open'),
  simple('getLiquidity', 'one solver'),
  simple('listSchemas', 'all'),
  simple('getSchema', 'tokens', { path: { name: 'evm:erc20' } }),
  simple('getSchema', 'unknown', { path: { name: 'evm:nothing' } }),
  simple('listEarnings', 'none yet'),
  simple('listEarnings', 'not a page', { query: { page: 'first' } }),

  simple('getQuote', 'exact in', { query: { from: btc, to: wbtc, from_amount: '1000000' } }),
  simple('getQuote', 'exact out, with affiliate fee and slippage', {
    query: { from: wbtc, to: btc, to_amount: '1000000', affiliate_fee: '20', slippage: '50' },
  }),
  simple('getQuote', 'indicative', { query: { from: btc, to: usdc, from_amount: '1000000', indicative: 'true' } }),
  simple('getQuote', 'both amounts', { query: { from: btc, to: wbtc, from_amount: '1000000', to_amount: '1000000' } }),
  simple('getQuote', 'too little', { query: { from: btc, to: wbtc, from_amount: '1' } }),

  create('from bitcoin, by a plain deposit', btc, wbtc, ['1000000', '990000'], { nonce: 'c1a7f0b95d4e4b0f9a34a6d2f8e61b77' }),
  create('from an ERC-20 token', wbtc, btc, ['1000000', '990000'], {
    slippage: 50,
    affiliate_fees: [{ address: '0x00000000000000000000000000000000000000aa', fee: 20 }],
  }),
  {
    operationId: 'createOrder',
    name: 'from an ERC-20 token, paid for by a delegate',
    request: (story) => ({
      body: {
        source: { asset: wbtc, owner: '0x00000000000000000000000000000000000000aa', amount: '1000000', delegate: story.ownerOf(wbtc) },
        destination: { asset: btc, owner: story.ownerOf(btc), amount: '990000' },
      },
    }),
  },
  create('from a native coin, with a secret of the client', 'ethereum_localnet:eth', usdc, ['10000000000000000', '35000000'], {
    secret_hash: hashSecret(secret),
  }),
  {
    operationId: 'createOrder',
    name: 'from bitcoin, with a public key of the client',
    request: (story) => ({
      body: {
        source: { asset: btc, owner: CLIENT_KEY, amount: '1000000' },
        destination: { asset: wbtc, owner: story.ownerOf(wbtc), amount: '990000' },
      },
    }),
  },
  {
    operationId: 'createOrder',
    name: 'a public key of the client as recipient, without a secret of the client',
    request: (story) => ({
      body: {
        source: { asset: wbtc, owner: story.ownerOf(wbtc), amount: '1000000' },
        destination: { asset: btc, owner: CLIENT_KEY, amount: '990000' },
      },
    }),
  },
  {
    operationId: 'createOrder',
    name: 'an address of another chain',
    request: (story) => ({
      body: { source: { asset: btc, amount: '1000000' }, destination: { asset: wbtc, owner: story.ownerOf(btc), amount: '990000' } },
    }),
  },
  {
    operationId: 'getOrderFunding',
    name: 'what to send, again',
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from an ERC-20 token') }),
  },
  simple('getOrderFunding', 'unknown order', { path: nobody }),

  {
    operationId: 'getOrder',
    name: 'just created',
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from bitcoin, by a plain deposit') }),
  },
  simple('getOrder', 'unknown order', { path: nobody }),
  simple('followOrder', 'unknown order', { path: nobody }),
  simple('followOrders', 'not an event', { query: { last_event_id: 'latest' } }),
  {
    operationId: 'patchOrder',
    name: 'initiate, without an allowance',
    request: async (story, earlier) => ({
      path: pathOf(earlier, 'from an ERC-20 token'),
      query: { action: 'initiate' },
      body: {
        signature: await story
          .evm('ethereum_localnet')
          .signTypedData(earlier.result('from an ERC-20 token').typed_data as Record<string, unknown>),
      },
    }),
  },
  {
    operationId: 'patchOrder',
    name: 'initiate, by a signature that the service relays',
    before: async (story) => {
      const { token, htlc } = story.contractsOf(wbtc)
      await story.evm('ethereum_localnet').approve(token, htlc, 2n ** 256n - 1n)
    },
    request: async (story, earlier) => ({
      path: pathOf(earlier, 'from an ERC-20 token'),
      query: { action: 'initiate' },
      body: {
        signature: await story
          .evm('ethereum_localnet')
          .signTypedData(earlier.result('from an ERC-20 token').typed_data as Record<string, unknown>),
      },
    }),
  },
  {
    operationId: 'patchOrder',
    name: 'refund, when nothing can be refunded',
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from an ERC-20 token'), query: { action: 'refund' }, body: {} }),
  },
  {
    operationId: 'patchOrder',
    name: 'refund, which only the holder of the key can make',
    request: (_story, earlier) => ({
      path: pathOf(earlier, 'from bitcoin, with a public key of the client'),
      query: { action: 'refund' },
      body: {},
    }),
  },
  {
    operationId: 'patchOrder',
    name: 'refund, to another address by a proof of the one before',
    request: (_story, earlier) => {
      const order = orderIn(earlier, 'from bitcoin, with a public key of the client')
      return {
        path: { order_id: order },
        query: { action: 'refund' },
        body: { address: newWallet.address, signature: clientWallet.sign(`Tandem refund of order ${order} to ${newWallet.address}`) },
      }
    },
  },
  {
    operationId: 'patchOrder',
    name: 'redeem, with the secret of the client',
    before: async (story, earlier) => {
      const created = earlier.result('from a native coin, with a secret of the client')
      await story.evm('ethereum_localnet').send(created.initiate_transaction as TransactionRequest)
      await story.untilStatus(String(created.order_id), 'counterparty_initiated')
    },
    request: (_story, earlier) => ({
      path: pathOf(earlier, 'from a native coin, with a secret of the client'),
      query: { action: 'redeem' },
      body: { secret },
    }),
  },
  {
    operationId: 'getOrder',
    name: 'completed',
    before: (story, earlier) => story.untilStatus(orderIn(earlier, 'from an ERC-20 token'), 'counterparty_redeemed'),
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from an ERC-20 token') }),
  },
  {
    operationId: 'getInstantRefundHashes',
    name: 'nothing for the client to sign',
    before: async (story, earlier) => {
      const created = earlier.result('from bitcoin, by a plain deposit')
      // This is less than agreed, so the solver will not fill it.
      await story.bitcoin().pay(String(created.to), 900_000n)
      await story.until(String(created.order_id), 'a mined deposit', (order) => order.source_swap.current_confirmations > 0)
    },
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from bitcoin, by a plain deposit') }),
  },
  simple('getInstantRefundHashes', 'unknown order', { path: nobody }),
  {
    operationId: 'patchOrder',
    name: 'instant-refund, before the timelock ends',
    request: (_story, earlier) => ({
      path: pathOf(earlier, 'from bitcoin, by a plain deposit'),
      query: { action: 'instant-refund' },
      body: { signatures: [], order_token: earlier.result('from bitcoin, by a plain deposit').order_token },
    }),
  },
  {
    operationId: 'getOrder',
    name: 'refunded',
    before: (story, earlier) => story.untilStatus(orderIn(earlier, 'from bitcoin, by a plain deposit'), 'refunded'),
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from bitcoin, by a plain deposit') }),
  },
  {
    operationId: 'patchOrder',
    name: 'refund, repeated: the transaction that did it',
    request: (_story, earlier) => ({ path: pathOf(earlier, 'from bitcoin, by a plain deposit'), query: { action: 'refund' }, body: {} }),
  },
  simple('listOrders', 'completed, first page', { query: { status: 'completed', page: '1', per_page: '1' } }),
  { operationId: 'listOrders', name: 'by address', request: (story) => ({ query: { address: story.ownerOf(wbtc), per_page: '1' } }) },
  simple('listOrders', 'page zero', { query: { page: '0' } }),
  simple('getVolume', 'of one chain', { query: { source_chain: 'ethereum_localnet' } }),
  simple('getVolume', 'not a time', { query: { from: 'yesterday' } }),
  simple('getFees', 'all'),
  simple('getFees', 'not a time', { query: { to: '1.5' } }),
  simple('listFeed', 'completed, first page', { query: { status: 'completed', page: '1', per_page: '1' } }),
  simple('listFeed', 'page zero', { query: { page: '0' } }),
]
