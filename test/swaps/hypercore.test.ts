/** A token in HyperCore's spot accounts is swapped on the simulator. */

import { hypercoreLocal } from '@tandem/hypercore/local/local.ts'
import { openHypercoreWallet } from '@tandem/hypercore/local/wallet.ts'
import { accountAt } from '@tandem/hypercore/terms/htlc.ts'
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { viemWallet } from '@tandem/sdk'
import { type Address, createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'

const CHAIN = 'hypercore_localnet'
const PURR = 'hypercore_localnet:purr'
const EVM_PER_CORE = 10n ** 13n
/** The amount is 25 PURR. */
const AMOUNT = 2_500_000n

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet', CHAIN)
const wallet = story.wallet(CHAIN, hypercoreLocal)
const { moveIn } = wallet
const { order } = story

const spot = () => wallet.balance(PURR)
const onEvm = () => wallet.onEvm.balanceOf(wallet.address, story.contractsOf(PURR).token)

function needed(request: TransactionRequest | undefined): TransactionRequest {
  if (request === undefined) throw new Error('POST /orders did not return this transaction')
  return request
}

/** The sum is in units of HyperCore, over both sides of the account at the HTLC. */
async function accountHolds(owner: Address = wallet.address as Address): Promise<bigint> {
  const { token, htlc } = story.contractsOf(PURR)
  const account = accountAt({ chainId: 31998, address: htlc as Address, token: token as Address }, owner)
  return (await wallet.spotBalanceOf(account)) + (await wallet.onEvm.balanceOf(account, token)) / EVM_PER_CORE
}

async function faucet(asset: string, address: string, amount: bigint): Promise<void> {
  const body = JSON.stringify({ asset, address, amount: amount.toString() })
  const answer = await fetch(story.info.faucet_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(answer.status).toBe(200)
}

/** The user has a new key, money of the faucet, and an order to pay for. */
async function newUser(gas: bigint) {
  const local = story.info.chains[CHAIN]
  if (local === undefined) throw new Error('the chain is not there')
  const user = openHypercoreWallet(local, generatePrivateKey())
  await faucet(PURR, user.address, AMOUNT)
  await faucet('hypercore_localnet:hype', user.address, gas)
  const quote = await story.api.quote({ from: PURR, to: 'arbitrum_localnet:usdc', from_amount: AMOUNT.toString() })
  const created = await story.api.createOrder({
    source: { asset: PURR, owner: user.address, amount: quote.source.amount },
    destination: { asset: 'arbitrum_localnet:usdc', owner: story.ownerOf('arbitrum_localnet:usdc'), amount: quote.destination.amount },
  })
  return { user, created, owner: user.address as Address }
}

test('a new user with a spot balance and gas for one transaction swaps by that transaction and a signature, without an approval', async () => {
  const { user, created, owner } = await newUser(2n * 10n ** 14n)
  expect(created.approval_transaction).toBeNull()
  expect(created).toMatchObject({ transfer_note: expect.stringMatching(/^HyperCore takes one quote token \(1 USDC\)/) })
  const signature = await user.onEvm.signTypedData(created.typed_data ?? {})
  await expect(story.api.initiate(created.order_id, signature)).rejects.toThrow(
    /holds 0 of .*send core_to_evm_transfer and repeat this call a few seconds later/,
  )
  const before = await story.balance('arbitrum_localnet:usdc')
  await user.moveIn(created)
  const relayed = await story.api.initiate(created.order_id, signature)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before + BigInt(done.destination_swap.amount))
  expect([await user.balance(PURR), await accountHolds(owner)]).toEqual([0n, 0n])
  // The user could pay for one transaction, and sent one.
  expect(Number(await user.onEvm.rpc('eth_getTransactionCount', user.address, 'latest'))).toBe(1)
})

test('PURR is swapped to USDC by two transactions: one moves it, the other one is the consent', async () => {
  const before = { purr: await spot(), dollars: await story.balance('arbitrum_localnet:usdc') }
  const created = await order(PURR, 'arbitrum_localnet:usdc', AMOUNT)
  expect(created.approval_transaction).toBeNull()
  expect(needed(created.core_to_evm_transfer)).toMatchObject({
    chain_id: 31998,
    to: '0x3333333333333333333333333333333333333333',
    value: '0x0',
    gas_limit: expect.stringMatching(/^0x/),
  })
  await moveIn(created)
  expect(await accountHolds()).toBe(AMOUNT)
  await wallet.onEvm.send(needed(created.initiate_transaction))

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before.dollars + BigInt(done.destination_swap.amount))
  expect([await spot(), await accountHolds()]).toEqual([before.purr - AMOUNT, 0n])
  expect(done.source_swap.filled_amount).toBe(AMOUNT.toString())
})

test('the consent may come before the money: the service brings it over', async () => {
  const before = await spot()
  const created = await order(PURR, 'arbitrum_localnet:usdc', AMOUNT)
  await wallet.onEvm.send(needed(created.initiate_transaction))
  await moveIn(created)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect([await spot(), await accountHolds()]).toEqual([before - AMOUNT, 0n])
})

test.each([true, false])('the SDK swaps PURR with viem, by a signature: %s', async (gasless) => {
  const before = await spot()
  const key = story.info.wallets.find(({ chains }) => chains.includes(CHAIN))?.private_key ?? ''
  const transport = http(String(story.info.chains[CHAIN]?.rpc_url))
  const viem = viemWallet(createWalletClient({ account: privateKeyToAccount(key as `0x${string}`), transport }))
  const sent = async () => Number(await wallet.onEvm.rpc('eth_getTransactionCount', wallet.address, 'latest'))
  const nonce = await sent()
  const { done, tx } = await swapBySdk(story, viem, { from: PURR, to: 'arbitrum_localnet:usdc', fromAmount: AMOUNT, gasless })
  expect(tx).toMatch(/^0x[0-9a-f]{64}$/)
  expect(done.source_swap.filled_amount).toBe(AMOUNT.toString())
  expect([await spot(), await accountHolds()]).toEqual([before - AMOUNT, 0n])
  expect((await sent()) - nonce).toBe(gasless ? 1 : 2)
})

test('BTC is swapped to PURR: the solver pays from its spot account, and the user is paid in theirs', async () => {
  const before = await spot()
  const created = await order('bitcoin_regtest:btc', PURR, 100_000n)
  await story.bitcoin().pay(created.to ?? '', BigInt(created.amount ?? '0'))
  const done = await story.untilStatus(created.order_id, 'redeemed', 'counterparty_redeemed')
  expect((await spot()) - before).toBe(BigInt(done.destination_swap.amount))
  expect(await onEvm()).toBe(0n)
})

test('an order that was signed for and revoked is never initiated, and the owner takes the money back', async () => {
  const { user, created, owner } = await newUser(10n ** 16n)
  const signature = await user.onEvm.signTypedData(created.typed_data ?? {})
  await user.moveIn(created)
  await user.onEvm.send(needed(created.revoke_transaction))
  await expect(story.api.initiate(created.order_id, signature)).rejects.toThrow(/revoked it by revoke_transaction: make a new order/)
  expect([await user.balance(PURR), await accountHolds(owner)]).toEqual([0n, AMOUNT])
  await user.onEvm.send(needed(created.reclaim_transaction))
  expect([await user.balance(PURR), await accountHolds(owner)]).toEqual([AMOUNT, 0n])
})

test('a secret that the user never reveals: once the solver is refunded, the deposit is back in the spot account at once', async () => {
  const before = await spot()
  const quote = await story.api.quote({ from: PURR, to: 'arbitrum_localnet:usdc', from_amount: AMOUNT.toString() })
  const created = await story.api.createOrder({
    source: { asset: PURR, owner: story.ownerOf(PURR), amount: quote.source.amount },
    destination: { asset: 'arbitrum_localnet:usdc', owner: story.ownerOf('arbitrum_localnet:usdc'), amount: quote.destination.amount },
    secret_hash: hashSecret(createSecret()),
  })
  await moveIn(created)
  await story.api.initiate(created.order_id, await wallet.onEvm.signTypedData(created.typed_data ?? {}))
  await story.untilStatus(created.order_id, 'counterparty_initiated')
  expect(await spot()).toBe(before - AMOUNT)

  await story.passTime('arbitrum_localnet', 200)
  await story.until(created.order_id, 'the solver to refund itself', (one) => one.destination_swap.refund_tx_hash !== '')
  await story.evmChain('arbitrum_localnet').request({ method: 'hardhat_mine', params: ['0x40'] })
  await story.untilStatus(created.order_id, 'refunded')
  expect([await spot(), await onEvm()]).toEqual([before, 0n])
})

test('the solver is down: the deposit is refunded to the spot account after the timelock, and a second payment after the deadline', async () => {
  const created = await order(PURR, 'arbitrum_localnet:usdc', AMOUNT)
  const before = await spot()
  await moveIn(created)
  await story.stack.solver.setRunning(false)
  await wallet.onEvm.send(needed(created.initiate_transaction))
  await story.untilStatus(created.order_id, 'initiated')
  await moveIn(created)
  expect([await spot(), await accountHolds()]).toEqual([before - 2n * AMOUNT, AMOUNT])

  await wallet.passTime(1_300)
  await story.untilStatus(created.order_id, 'refunded')
  expect([await spot(), await accountHolds()]).toEqual([before - AMOUNT, AMOUNT])
  await wallet.passTime(3_600)
  await story.eventually('the second payment to be back', async () => (await spot()) === before)
  expect([await accountHolds(), await onEvm()]).toEqual([0n, 0n])
})
