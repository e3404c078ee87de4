/** Users with starknet.js swap WBTC on the local Starknet chain. The stories end with balances. */

import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { starknetAccountWallet, starknetWallet } from '@tandem/sdk'
import { initiateWithSignatureCall } from '@tandem/starknet/contract/client/calls.ts'
import { htlcErrors } from '@tandem/starknet/contract/client/errors.ts'
import { type Felt, selectorOf } from '@tandem/starknet/contract/client/felt.ts'
import { accountClass } from '@tandem/starknet/local/classes/account.ts'
import { outsideV1AccountClass, panickingAccountClass, trueAccountClass } from '@tandem/starknet/local/classes/other-accounts.ts'
import { UDC_ADDRESSES } from '@tandem/starknet/local/classes/udc.ts'
import { starknetLocal } from '@tandem/starknet/local/local.ts'
import { Account, ec, hash, RpcProvider, stark, type TypedData } from 'starknet'
import { afterAll, describe, expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'
import { tellOfInstantRefund } from './tell-of-instant-refund.ts'

const WBTC = 'starknet_localnet:wbtc'
const BTC = 'bitcoin_regtest:btc'
const DOLLARS = 'arbitrum_localnet:usdc'
const STRK = '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'

const story = await tellStory('bitcoin_regtest', 'arbitrum_localnet', 'starknet_localnet')
const wallet = story.wallet('starknet_localnet', starknetLocal)
const { token, htlc } = story.contractsOf(WBTC)
const provider = new RpcProvider({ nodeUrl: String(story.info.chains.starknet_localnet?.rpc_url) })
const key = story.info.wallets.find(({ address }) => address === wallet.address)?.private_key ?? ''
const account = new Account({ provider, address: wallet.address, signer: key, cairoVersion: '1' })

const feltOf = (text: string): Felt => `0x${BigInt(text).toString(16)}`
const strk = () => wallet.balanceOf(wallet.address, STRK)
const start = { wbtc: await wallet.balance(WBTC), locked: await wallet.balanceOf(htlc, token) }
/** This is the amount that the user locked, less the amount it received. */
let spent = 0n
/** This account sent the first relayed transaction. */
let relay: string

const signatureOf = async ({ typed_data: data }: CreatedOrder) =>
  stark.formatSignature(await account.signMessage(data as unknown as TypedData))
const initiate = async ({ order_id: id }: CreatedOrder, signature: string | readonly string[]) =>
  String(await story.api.call('PATCH', `/orders/${id}?action=initiate`, { signature }))

/** Anyone may send `initiate_with_signature`. */
function initiationOf({ source_swap: swap }: OrderRecord, signature: readonly string[]): FeltCall {
  const { initiator, redeemer, timelock, amount, secret_hash: secretHash } = swap
  const terms = { initiator: feltOf(initiator), redeemer: feltOf(redeemer), timelock: BigInt(timelock), amount: BigInt(amount), secretHash }
  return initiateWithSignatureCall(feltOf(htlc), terms, signature.map(feltOf))
}

/** The user deploys an account of any class through the UDC. */
async function deployAccount(classHash: bigint, argument: readonly string[] = []): Promise<string> {
  const calldata = [`0x${classHash.toString(16)}`, '0x1', '0x0', `0x${argument.length}`, ...argument]
  await wallet.execute([{ to: `0x${UDC_ADDRESSES[0].toString(16)}`, selector: selectorOf('deploy_contract'), calldata }])
  return hash.calculateContractAddressFromHash(1, classHash, [...argument], 0)
}

/** A new account holds WBTC, and no STRK. It has sent nothing. */
async function holderOf(classHash: bigint, amount: bigint): Promise<Account> {
  const signer = stark.randomAddress()
  const address = await deployAccount(classHash, [ec.starkCurve.getStarkKey(signer)])
  await wallet.execute([{ to: token, selector: selectorOf('transfer'), calldata: [address, `0x${amount.toString(16)}`, '0x0'] }])
  spent += amount
  return new Account({ provider, address, signer, cairoVersion: '1' })
}

async function orderOf(owner: string, delegate?: string): Promise<CreatedOrder> {
  const quote = await story.api.quote({ from: WBTC, to: BTC, from_amount: '1000000' })
  return story.api.createOrder({
    source: { asset: WBTC, owner, amount: quote.source.amount, ...(delegate !== undefined && { delegate }) },
    destination: { asset: BTC, owner: story.ownerOf(BTC), amount: quote.destination.amount },
  })
}

test('BTC is swapped to WBTC by a plain deposit, also to an account that is not deployed', async () => {
  const quote = await story.api.quote({ from: BTC, to: WBTC, from_amount: '700000' })
  const recipient = `0x${'5'.repeat(60)}`
  const created = await story.api.createOrder({
    source: { asset: BTC, owner: story.ownerOf(BTC), amount: quote.source.amount },
    destination: { asset: WBTC, owner: recipient, amount: quote.destination.amount },
  })
  await story.bitcoin().pay(created.to ?? '', 700_000n)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await wallet.balanceOf(recipient, token)).toBe(BigInt(done.destination_swap.amount))
})

test('USDC on an EVM chain is swapped to WBTC by a transaction', async () => {
  const before = await story.balance(DOLLARS)
  const created = await story.order(DOLLARS, WBTC, 500_000_000n)
  await story.evm('arbitrum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  spent -= BigInt(done.destination_swap.amount)
  expect(await story.balance(DOLLARS)).toBe(before - 500_000_000n)
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent)
})

test('WBTC is swapped to BTC by a signature of starknet.js: the user pays no fee', async () => {
  const created = await story.order(WBTC, BTC, 2_000_000n)
  const { approval_transaction: approval, typed_data: data } = created
  expect(data).toMatchObject({ domain: { revision: 1, version: '0x31' }, primaryType: 'Initiate' })
  const call = approval as unknown as { readonly to: string; readonly calldata: string[] }
  const approved = await account.execute({ contractAddress: call.to, entrypoint: 'approve', calldata: call.calldata })
  await provider.waitForTransaction(approved.transaction_hash, { retryInterval: 20 })

  const before = { strk: await strk(), btc: await story.balance(BTC) }
  const signature = await signatureOf(created)
  const relayed = await initiate(created, signature)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  spent += 2_000_000n
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  relay = String(
    ((await wallet.rpc('starknet_getTransactionByHash', { transaction_hash: relayed })) as { sender_address: string }).sender_address,
  )
  expect(await strk()).toBe(before.strk)
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent)
  const received = (await story.balance(BTC)) - before.btc
  expect(received).toBeGreaterThan(BigInt(done.destination_swap.amount) - 5_000n)

  // The same signature comes again, joined by commas, and by a stranger on the chain. The order was initiated once, and stays so.
  expect(await initiate(created, signature.join())).toBe(relayed)
  await expect(wallet.execute([initiationOf(done, signature)])).rejects.toThrow(htlcErrors.duplicateOrder)
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent)
})

test('the SDK swaps WBTC with the wallet API by one transaction, and with an account of starknet.js by a signature', async () => {
  // Extensions have this wallet API over starknet.js.
  type Invocation = { calls: { contract_address: string; entry_point: string; calldata: string[] }[] }
  const answers: Readonly<Record<string, (params: unknown) => unknown>> = {
    wallet_requestAccounts: () => [wallet.address],
    wallet_requestChainId: () => provider.getChainId(),
    wallet_addInvokeTransaction: (params) =>
      account.execute(
        (params as Invocation).calls.map((call) => ({
          contractAddress: call.contract_address,
          entrypoint: call.entry_point,
          calldata: call.calldata,
        })),
      ),
  }
  const api = starknetWallet({
    request: async ({ type, params }: { readonly type: string; readonly params?: unknown }) => answers[type]?.(params),
  })
  const sent = await swapBySdk(story, api, { from: WBTC, to: BTC, fromAmount: 1_000_000n })
  expect(BigInt(sent.done.source_swap.initiate_tx_hash)).toBe(BigInt(sent.tx))

  const approved = await account.execute({ contractAddress: token, entrypoint: 'approve', calldata: [htlc, '1000000', '0'] })
  await provider.waitForTransaction(approved.transaction_hash, { retryInterval: 20 })
  const before = await strk()
  const signed = await swapBySdk(story, starknetAccountWallet(account), { from: WBTC, to: BTC, fromAmount: 1_000_000n, gasless: true })
  expect(signed.done.source_swap.initiate_tx_hash).toBe(signed.tx)
  expect(await strk()).toBe(before)
  spent += 2_000_000n
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent)
})

test.each([
  ['of OpenZeppelin', accountClass.classHash],
  ['with outside executions of version 1', outsideV1AccountClass.classHash],
])('a new account %s without STRK swaps WBTC by one signature: no approval, no fee, no transaction', async (_, classHash) => {
  const holder = await holderOf(classHash, 1_000_000n)
  const asked: string[] = []
  const signing = Object.assign(starknetAccountWallet(holder), {
    execute: () => Promise.reject(new Error('the wallet was asked for a transaction')),
  })
  const { signTypedData } = signing
  signing.signTypedData = (chainId, from, data) => {
    asked.push(String(data.primaryType))
    return signTypedData(chainId, from, data)
  }
  const locked = await wallet.balanceOf(htlc, token)
  const { done, tx } = await swapBySdk(story, signing, { from: WBTC, to: BTC, fromAmount: 1_000_000n, gasless: true })
  expect(asked).toEqual(['OutsideExecution'])
  expect(done.source_swap).toMatchObject({ filled_amount: '1000000', initiate_tx_hash: tx })
  expect(await wallet.balanceOf(holder.address, token)).toBe(0n)
  expect(await wallet.balanceOf(holder.address, STRK)).toBe(0n)
  expect(BigInt(await provider.getNonceForAddress(holder.address))).toBe(0n)
  expect(await wallet.balanceOf(htlc, token)).toBe(locked)
})

test('the catalog says what an account may sign for an asset', async () => {
  await expect
    .poll(async () => {
      const assets = (await story.api.call('GET', '/assets')) as readonly {
        readonly id: string
        readonly signature_offers?: readonly string[]
      }[]
      return assets.find(({ id }) => id === WBTC)?.signature_offers
    })
    .toEqual(['outside-execution-v2', 'outside-execution-v1'])
})

test('an offered signature by plain requests is good for its order alone', async () => {
  const holder = await holderOf(accountClass.classHash, 1_000_000n)
  const [order, other] = [await orderOf(holder.address), await orderOf(holder.address)]
  const [offer] = order.signature_offers ?? []
  expect(offer?.offer).toBe('outside-execution-v2')
  const signature = stark.formatSignature(await holder.signMessage(offer?.typed_data[0] as unknown as TypedData))
  const patch = (id: string) => story.api.call('PATCH', `/orders/${id}?action=initiate`, { signature, offer: offer?.offer })
  await expect(patch(other.order_id)).rejects.toMatchObject({ code: 'invalid_signature' })
  const sent = String(await patch(order.order_id))
  expect((await story.untilStatus(order.order_id, 'counterparty_redeemed')).source_swap.initiate_tx_hash).toBe(sent)
  expect(String(await patch(order.order_id))).toBe(sent)
  expect(await wallet.balanceOf(holder.address, token)).toBe(0n)
})

test('a delegate approves and initiates in one transaction on behalf of an owner without an account', async () => {
  const owner = `0x${'7'.repeat(62)}`
  const created = await orderOf(owner, wallet.address)
  await wallet.fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  spent += 1_000_000n
  expect(done.source_swap).toMatchObject({ initiator: `0x${owner.slice(2).padStart(64, '0')}`, filled_amount: '1000000' })
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent)
})

test('a hostile account gets nothing sent, and costs the service nothing', async () => {
  const own = await orderOf(wallet.address)
  const before = await wallet.balanceOf(relay, STRK)
  const good = await signatureOf(await orderOf(wallet.address))
  const [panicking, penniless] = [await deployAccount(panickingAccountClass.classHash), await deployAccount(trueAccountClass.classHash)]
  const cases: readonly (readonly [CreatedOrder, readonly string[], string, RegExp])[] = [
    [own, good, 'invalid_signature', /does not accept the signature for the typed_data of this order/],
    [own, ['0x1', `0x${'f'.repeat(64)}`], 'invalid_signature', /number 2 of 2 is not below the prime/],
    [await orderOf(panicking), good, 'invalid_signature', /does not accept/],
    [await orderOf(penniless), good, 'bad_request', /holds 0 of starknet_localnet:wbtc, the order needs 1000000/],
    [await orderOf(`0x${'3'.repeat(61)}`), good, 'bad_request', /is not deployed/],
  ]
  for (const [order, signature, code, words] of cases) {
    await expect(initiate(order, signature)).rejects.toMatchObject({ httpStatus: 400, code, message: expect.stringMatching(words) })
    expect((await story.signed('service', order.order_id)).size).toBe(0)
  }
  expect(await wallet.balanceOf(relay, STRK)).toBe(before)
})

describe('an instant refund', () => {
  afterAll(async () => {
    spent = start.wbtc - (await wallet.balance(WBTC))
    start.locked = await wallet.balanceOf(htlc, token)
  })
  tellOfInstantRefund(story, { asset: WBTC, destination: BTC, amount: 1_000_000n, maxGas: 0n, fund: (created) => wallet.fund(created) })
})

test('the solver is gone: WBTC is refunded after the timelock', async () => {
  const created = await story.order(WBTC, BTC, 3_000_000n)
  await story.stack.solver.setRunning(false)
  await wallet.fund(created)
  const funded = await story.untilStatus(created.order_id, 'initiated')
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent - 3_000_000n)
  await wallet.passTime(funded.source_swap.timelock)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await wallet.balance(WBTC)).toBe(start.wbtc - spent)
  expect(await wallet.balanceOf(htlc, token)).toBe(start.locked)
})
