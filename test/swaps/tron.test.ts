/** Swaps of Tron's tokens by users with TronWeb, told on the simulator. */
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { signAsTheSpecificationSays } from '../../src/chains/tron/sign.fixture.ts'
import { openStory, type Story } from './story.ts'

const USDT = 'tron_localnet:usdt'
const WBTC = 'tron_localnet:wbtc'
const BTC = 'bitcoin_regtest:btc'
const ABI = [
  {
    type: 'function',
    name: 'balanceOf',
    inputs: [{ name: 'who', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
    stateMutability: 'view',
  },
] as const

let story: Story
let wallet: TronWeb
let user: string
let key: string
beforeAll(async () => {
  story = await openStory({ furtherChains: ['tron_localnet'] })
  const url = story.info.chains.tron_localnet?.rpc_url
  const first = story.info.wallets.find(({ chains }) => chains.includes('tron_localnet'))
  if (url === undefined || first === undefined) throw new Error('local.json names no tron_localnet')
  ;[user, key] = [first.address, first.private_key.replace(/^0x/, '')]
  wallet = new TronWeb({ fullHost: url, privateKey: key })
})
afterAll(() => story.close())

async function tokens(asset: string): Promise<bigint> {
  return BigInt(await wallet.contract(ABI, story.contractsOf(asset).token).methods.balanceOf(user).call())
}

const trx = async () => BigInt(await wallet.trx.getUnconfirmedBalance(user))

async function order(from: string, to: string, amount: bigint): Promise<CreatedOrder> {
  const ownerOf = (asset: string) => (asset.startsWith('tron_') ? user : story.ownerOf(asset))
  const quote = await story.api.quote({ from, to, from_amount: amount.toString() })
  return story.api.createOrder({
    source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
  })
}

/** As the order says, in decimals; resolves once it is in a block and has succeeded. */
async function send(request: CreatedOrder['initiate_transaction'] | null): Promise<string> {
  if (request === undefined || request === null) throw new Error('POST /orders has this transaction')
  expect([request.value, request.gas_limit].every((number) => /^[0-9]+$/.test(number))).toBe(true)
  const options = { input: request.data.slice(2), feeLimit: Number(request.gas_limit), callValue: Number(request.value) }
  const { transaction } = await wallet.transactionBuilder.triggerSmartContract(request.to, '', options, [], user)
  const { txID } = await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction)).then((answer) => answer.transaction)
  await story.eventually(
    `transaction ${txID}`,
    async () => (await wallet.trx.getUnconfirmedTransactionInfo(txID)).receipt?.result === 'SUCCESS',
  )
  return txID
}

test('Tether on Tron becomes bitcoin by one signature of TronWeb: the user pays no energy', async () => {
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
  const signature = signAsTheSpecificationSays(wallet, key, created.typed_data)
  const relayed = await story.api.initiate(created.order_id, signature)
  expect(relayed).toMatch(/^[0-9a-f]{64}$/)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await trx()).toBe(before.trx)
  expect(await tokens(USDT)).toBe(before.dollars - 300_000_000n)
  expect(await story.balance(BTC)).toBeGreaterThan(before.bitcoin)
})

test('bitcoin becomes Tether on Tron', async () => {
  const before = await tokens(USDT)
  const created = await order(BTC, USDT, 500_000n)
  await story.bitcoin.pay(created.to ?? '', 500_000n)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await tokens(USDT)).toBe(before + BigInt(done.destination_swap.amount))
})

test('a token of Tron becomes dollars on an EVM chain by transactions that the user sends', async () => {
  const before = { wrapped: await tokens(WBTC), dollars: await story.balance('arbitrum_localnet:usdc') }
  const created = await order(WBTC, 'arbitrum_localnet:usdc', 500_000n)
  await send(created.approval_transaction)
  const initiated = await send(created.initiate_transaction)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(initiated)
  expect(await tokens(WBTC)).toBe(before.wrapped - 500_000n)
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before.dollars + BigInt(done.destination_swap.amount))
})

test('the solver is gone: Tether comes back after the timelock, although it answers false to its own transfers', async () => {
  const before = await tokens(USDT)
  const created = await order(USDT, BTC, 50_000_000n)
  await story.stack.solver.setRunning(false)
  if (created.approval_transaction !== null) await send(created.approval_transaction)
  await send(created.initiate_transaction)
  await story.untilStatus(created.order_id, 'initiated')
  expect(await tokens(USDT)).toBe(before - 50_000_000n)
  for (const [method, ...params] of [['evm_increaseTime', 1_300], ['evm_mine']]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    await fetch(`${story.info.chains.tron_localnet?.rpc_url}/jsonrpc`, { method: 'POST', body })
  }
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await tokens(USDT)).toBe(before)
})
