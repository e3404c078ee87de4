/** Swaps of a token in HyperCore's spot accounts, told on the simulator. */
import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOrder, TransactionRequest } from '../../demo/client/api-client.ts'
import { createEvmWallet, type EvmWallet } from '../../demo/client/evm-wallet.ts'
import { SPOT_BALANCE, spotBalanceQuestion } from '../../src/chains/hypercore/core.ts'
import { openStory, type Story } from './story.ts'

const PURR = 'hypercore_localnet:purr'
const EVM_PER_CORE = 10n ** 13n
/** 25 PURR. */
const AMOUNT = 2_500_000n

let story: Story
let wallet: EvmWallet
let rpcUrl: string
beforeAll(async () => {
  story = await openStory({ furtherChains: ['hypercore_localnet'] })
  const chain = story.info.chains.hypercore_localnet
  const key = story.info.wallets.find(({ chains }) => chains.includes('hypercore_localnet'))?.private_key
  if (chain?.chain_id === undefined || key === undefined) throw new Error('local.json names no hypercore_localnet')
  rpcUrl = chain.rpc_url
  wallet = createEvmWallet({ rpcUrl, chainId: chain.chain_id, privateKey: key })
})
afterAll(() => story.close())

async function rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await answer.json()) as { result: unknown }).result
}

/** In the user's spot account. */
async function spot(owner: Address = wallet.address): Promise<bigint> {
  const answer = await rpc('eth_call', { to: SPOT_BALANCE, data: spotBalanceQuestion(owner, 1n) }, 'latest')
  return BigInt((answer as Hex).slice(0, 66))
}

const onEvm = () => wallet.balance(wallet.address, story.contractsOf(PURR).token)

async function order(from: string, to: string, amount: bigint): Promise<CreatedOrder> {
  const ownerOf = (asset: string) => (asset === PURR ? wallet.address : story.ownerOf(asset))
  const quote = await story.api.quote({ from, to, from_amount: amount.toString() })
  return story.api.createOrder({
    source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
  })
}

function needed(request: TransactionRequest | undefined): TransactionRequest {
  if (request === undefined) throw new Error('POST /orders has this transaction')
  return request
}

async function bringToEvm(created: CreatedOrder): Promise<void> {
  const before = await onEvm()
  await wallet.send(needed(created.core_to_evm_transfer))
  await story.eventually('the tokens to be on HyperEVM', async () => (await onEvm()) > before)
}

test('from a spot account to another chain: one transfer to HyperEVM, one to the address of the order, no approval', async () => {
  const before = { purr: await spot(), dollars: await story.balance('arbitrum_localnet:usdc') }
  const created = await order(PURR, 'arbitrum_localnet:usdc', AMOUNT)
  expect(created.approval_transaction).toBeNull()
  expect(needed(created.core_to_evm_transfer)).toMatchObject({
    chain_id: 31998,
    to: '0x3333333333333333333333333333333333333333',
    value: '0x0',
    gas_limit: expect.stringMatching(/^0x/),
  })
  await bringToEvm(created)
  expect(await onEvm()).toBe(AMOUNT * EVM_PER_CORE)
  await wallet.send(needed(created.initiate_transaction))

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before.dollars + BigInt(done.destination_swap.amount))
  expect(await spot()).toBe(before.purr - AMOUNT)
  expect(await onEvm()).toBe(0n)
  expect(done.source_swap.filled_amount).toBe(AMOUNT.toString())
})

test('from bitcoin to a spot account: the solver pays out of its own, and the money arrives there', async () => {
  const before = await spot()
  const created = await order('bitcoin_regtest:btc', PURR, 100_000n)
  await story.bitcoin.pay(created.to ?? '', BigInt(created.amount ?? '0'))
  const done = await story.untilStatus(created.order_id, 'redeemed', 'counterparty_redeemed')
  expect((await spot()) - before).toBe(BigInt(done.destination_swap.amount))
  expect(await onEvm()).toBe(0n)
})

test('by a signature, once there is an allowance; without one the answer says what to do', async () => {
  const { token, htlc } = story.contractsOf(PURR)
  const created = await order(PURR, 'ethereum_localnet:wbtc', AMOUNT)
  const signature = await wallet.signTypedData(created.typed_data ?? {})
  await expect(story.api.initiate(created.order_id, signature)).rejects.toThrow(/initiate_transaction, which needs neither/)
  await bringToEvm(created)
  await wallet.approve(token, htlc, AMOUNT * EVM_PER_CORE)
  const before = await story.balance('ethereum_localnet:wbtc')
  const relayed = await story.api.initiate(created.order_id, signature)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
})

test('the solver is gone: what was paid twice comes back by itself, and the refund after the timelock is in the spot account', async () => {
  const created = await order(PURR, 'arbitrum_localnet:usdc', AMOUNT)
  const before = await spot()
  await bringToEvm(created)
  await bringToEvm(created)
  await story.stack.solver.setRunning(false)
  const pay = needed(created.initiate_transaction)
  await wallet.send(pay)
  await story.untilStatus(created.order_id, 'initiated')
  await wallet.send(pay)
  await story.eventually('the second payment to be back', async () => (await spot()) === before - AMOUNT)
  expect(await onEvm()).toBe(0n)
  // Nobody needs us for it.
  expect(needed(created.reclaim_transaction)).toMatchObject({ chain_id: 31998, to: story.contractsOf(PURR).htlc, value: '0x0' })

  await rpc('evm_increaseTime', '0x514')
  await rpc('evm_mine')
  await story.untilStatus(created.order_id, 'refunded')
  expect([await spot(), await onEvm()]).toEqual([before, 0n])
})
