/** Swaps of a token in HyperCore's spot accounts, on the simulator. */
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { hypercoreLocal } from '../../devnet/hypercore/local.ts'
import { viemWallet } from '../../sdk/src/index.ts'
import type { TransactionRequest } from '../../src/protocol/funding/calls.ts'
import { createSecret, hashSecret } from '../../src/protocol/secret.ts'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'

const PURR = 'hypercore_localnet:purr'
const EVM_PER_CORE = 10n ** 13n
/** 25 PURR. */
const AMOUNT = 2_500_000n

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet', 'hypercore_localnet')
const wallet = story.wallet('hypercore_localnet', hypercoreLocal)
const { bringToEvm } = wallet
const { order } = story

/** In the user's spot account. */
const spot = () => wallet.balance(PURR)
const onEvm = () => wallet.onEvm.balanceOf(wallet.address, story.contractsOf(PURR).token)

function needed(request: TransactionRequest | undefined): TransactionRequest {
  if (request === undefined) throw new Error('POST /orders did not return this transaction')
  return request
}

test('PURR is swapped to USDC: one transfer to HyperEVM, one to the address of the order, no approval', async () => {
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
  await wallet.onEvm.send(needed(created.initiate_transaction))

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before.dollars + BigInt(done.destination_swap.amount))
  expect(await spot()).toBe(before.purr - AMOUNT)
  expect(await onEvm()).toBe(0n)
  expect(done.source_swap.filled_amount).toBe(AMOUNT.toString())
})

test('the SDK swaps PURR with viem: it moves the tokens to HyperEVM and waits for them', async () => {
  const before = await spot()
  const key = story.info.wallets.find(({ chains }) => chains.includes('hypercore_localnet'))?.private_key ?? ''
  const transport = http(String(story.info.chains.hypercore_localnet?.rpc_url))
  const viem = viemWallet(createWalletClient({ account: privateKeyToAccount(key as `0x${string}`), transport }))
  const { done, tx } = await swapBySdk(story, viem, { from: PURR, to: 'arbitrum_localnet:usdc', fromAmount: AMOUNT })
  expect(tx).toMatch(/^0x[0-9a-f]{64}$/)
  expect(done.source_swap.filled_amount).toBe(AMOUNT.toString())
  expect([await spot(), await onEvm()]).toEqual([before - AMOUNT, 0n])
})

test('BTC is swapped to PURR: the solver pays from its spot account, and the user is paid in theirs', async () => {
  const before = await spot()
  const created = await order('bitcoin_regtest:btc', PURR, 100_000n)
  await story.bitcoin().pay(created.to ?? '', BigInt(created.amount ?? '0'))
  const done = await story.untilStatus(created.order_id, 'redeemed', 'counterparty_redeemed')
  expect((await spot()) - before).toBe(BigInt(done.destination_swap.amount))
  expect(await onEvm()).toBe(0n)
})

test('PURR is swapped by a signature if there is an allowance; without one the error says what to do', async () => {
  const { token, htlc } = story.contractsOf(PURR)
  const created = await order(PURR, 'ethereum_localnet:wbtc', AMOUNT)
  const signature = await wallet.onEvm.signTypedData(created.typed_data ?? {})
  await expect(story.api.initiate(created.order_id, signature)).rejects.toThrow(
    /initiate_transaction, which pays it there and needs no approval/,
  )
  await bringToEvm(created)
  await wallet.onEvm.approve(token, htlc, AMOUNT * EVM_PER_CORE)
  const before = await story.balance('ethereum_localnet:wbtc')
  const relayed = await story.api.initiate(created.order_id, signature)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
})

test('PURR is swapped by a signature without an allowance: the order is initiated with what lies at its own address', async () => {
  const before = { purr: await spot(), wbtc: await story.balance('ethereum_localnet:wbtc') }
  const created = await order(PURR, 'ethereum_localnet:wbtc', AMOUNT)
  const signature = await wallet.onEvm.signTypedData(created.typed_data ?? {})
  await bringToEvm(created)
  await wallet.onEvm.send(needed(created.initiate_transaction))
  const relayed = await story.api.initiate(created.order_id, signature)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await spot()).toBe(before.purr - AMOUNT)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before.wbtc + BigInt(done.destination_swap.amount))
})

test('an order that was signed for and revoked is never initiated', async () => {
  const before = await spot()
  const created = await order(PURR, 'ethereum_localnet:wbtc', AMOUNT)
  const signature = await wallet.onEvm.signTypedData(created.typed_data ?? {})
  await wallet.onEvm.send(needed(created.revoke_transaction))
  await expect(story.api.initiate(created.order_id, signature)).rejects.toThrow(/revoked it by revoke_transaction: make a new order/)
  expect([await spot(), await onEvm()]).toEqual([before, 0n])
})

test('a secret that the user never reveals: once the solver is refunded, the deposit is back in the spot account at once', async () => {
  const before = await spot()
  const quote = await story.api.quote({ from: PURR, to: 'arbitrum_localnet:usdc', from_amount: AMOUNT.toString() })
  const created = await story.api.createOrder({
    source: { asset: PURR, owner: story.ownerOf(PURR), amount: quote.source.amount },
    destination: { asset: 'arbitrum_localnet:usdc', owner: story.ownerOf('arbitrum_localnet:usdc'), amount: quote.destination.amount },
    secret_hash: hashSecret(createSecret()),
  })
  await bringToEvm(created)
  await wallet.onEvm.send(needed(created.initiate_transaction))
  await story.untilStatus(created.order_id, 'counterparty_initiated')
  expect(await spot()).toBe(before - AMOUNT)

  await story.passTime('arbitrum_localnet', 200)
  await story.until(created.order_id, 'the solver to refund itself', (one) => one.destination_swap.refund_tx_hash !== '')
  await story.evmChain('arbitrum_localnet').request({ method: 'hardhat_mine', params: ['0x40'] })
  await story.untilStatus(created.order_id, 'refunded')
  expect([await spot(), await onEvm()]).toEqual([before, 0n])
})

test('the solver is down: a second payment is reclaimed automatically, and the first is refunded to the spot account after the timelock', async () => {
  const created = await order(PURR, 'arbitrum_localnet:usdc', AMOUNT)
  const before = await spot()
  await bringToEvm(created)
  await bringToEvm(created)
  await story.stack.solver.setRunning(false)
  const pay = needed(created.initiate_transaction)
  await wallet.onEvm.send(pay)
  await story.untilStatus(created.order_id, 'initiated')
  await wallet.onEvm.send(pay)
  await story.eventually('the second payment to be back', async () => (await spot()) === before - AMOUNT)
  expect(await onEvm()).toBe(0n)
  // The user can send it without the service.
  expect(needed(created.reclaim_transaction)).toMatchObject({ chain_id: 31998, to: story.contractsOf(PURR).htlc, value: '0x0' })

  await wallet.passTime(1_300)
  await story.untilStatus(created.order_id, 'refunded')
  expect([await spot(), await onEvm()]).toEqual([before, 0n])
})
