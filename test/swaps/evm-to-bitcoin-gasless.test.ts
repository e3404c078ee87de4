/** Tests swaps that the user funds by a signature. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'

type TypedData = {
  readonly domain: Record<string, string>
  readonly message: Record<string, string>
  readonly types: Record<string, unknown>
}

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
/** This address sent the first relayed transaction. */
let relayer: string

test('WBTC is swapped to BTC by one signature: the user sends nothing and pays no gas', async () => {
  const wallet = story.evm('ethereum_localnet')
  const { token, htlc } = story.contractsOf('ethereum_localnet:wbtc')
  await wallet.approve(token, htlc, 2n ** 256n - 1n)
  const before = {
    ether: await story.balance('ethereum_localnet:eth'),
    wrapped: await story.balance('ethereum_localnet:wbtc'),
    bitcoin: await story.balance('bitcoin_regtest:btc'),
  }

  const created = await story.order('ethereum_localnet:wbtc', 'bitcoin_regtest:btc', 2_000_000n)
  expect(created.approval_transaction).toBeNull()
  const signature = await wallet.signTypedData(created.typed_data ?? {})
  const relayed = await story.api.initiate(created.order_id, signature)
  expect(relayed).toMatch(/^0x[0-9a-f]{64}$/)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  relayer = ((await ask('eth_getTransactionByHash', relayed)) as { from: string }).from
  expect(relayer).not.toBe(wallet.address.toLowerCase())
  expect(await story.balance('ethereum_localnet:eth')).toBe(before.ether)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before.wrapped - 2_000_000n)
  const received = (await story.balance('bitcoin_regtest:btc')) - before.bitcoin
  const promised = BigInt(done.destination_swap.amount)
  // The fee of the last transaction comes out of the output.
  expect(received).toBeLessThan(promised)
  expect(received).toBeGreaterThan(promised - 5_000n)
})

const ask = (method: string, ...params: readonly unknown[]) => story.evmChain('ethereum_localnet').request({ method, params })

const orderOf = async (owner: string, delegate?: string): Promise<CreatedOrder> => {
  const [from, to] = ['ethereum_localnet:wbtc', 'bitcoin_regtest:btc']
  const quote = await story.api.quote({ from, to, from_amount: '1000000' })
  return story.api.createOrder({
    source: { asset: from, owner, amount: quote.source.amount, ...(delegate !== undefined && { delegate }) },
    destination: { asset: to, owner: story.ownerOf(to), amount: quote.destination.amount },
  })
}

test('an initiation that would revert is refused with the reason, before the service signs or spends anything', async () => {
  const wallet = story.evm('ethereum_localnet')
  const { token, htlc } = story.contractsOf('ethereum_localnet:wbtc')
  const [stranger, poor] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())]
  const [order, other, penniless] = [await orderOf(wallet.address), await orderOf(wallet.address), await orderOf(poor.address)]
  const relayerAccount = async () => [
    await ask('eth_getTransactionCount', relayer, 'pending'),
    await ask('eth_getBalance', relayer, 'latest'),
  ]
  const before = await relayerAccount()
  const altered = (domain: object, message: object = {}) => {
    const typed = structuredClone(order.typed_data) as TypedData
    return { ...typed, domain: { ...typed.domain, ...domain }, message: { ...typed.message, ...message } }
  }
  const byStranger = stranger.signTypedData(order.typed_data as unknown as Parameters<typeof stranger.signTypedData>[0])
  const byPoor = poor.signTypedData(penniless.typed_data as unknown as Parameters<typeof poor.signTypedData>[0])
  const refused = (code: string, words: RegExp) => ({ httpStatus: 400, code, message: expect.stringMatching(words) })
  const notTheirs = refused('invalid_signature', /not by 0x[0-9a-f]{40} over the typed_data of this order/)

  for (const signature of [
    wallet.signTypedData(altered({ chainId: '31338' })),
    wallet.signTypedData(altered({ verifyingContract: token })),
    wallet.signTypedData(altered({}, { amount: '999999' })),
    wallet.signTypedData(altered({}, { redeemer: wallet.address })),
    wallet.signTypedData(other.typed_data ?? {}),
    byStranger,
  ]) {
    await expect(story.api.initiate(order.order_id, await signature)).rejects.toMatchObject(notTheirs)
  }
  await expect(story.api.initiate(penniless.order_id, await byPoor)).rejects.toMatchObject(
    refused('bad_request', /holds 0 .* needs 1000000/),
  )
  await wallet.approve(token, htlc, 999_999n)
  const good = await wallet.signTypedData(order.typed_data ?? {})
  const lacking = refused('bad_request', /approved 999999 .* needs 1000000: send approval_transaction/)
  await expect(story.api.initiate(order.order_id, good)).rejects.toMatchObject(lacking)

  const { source_swap: swap } = (await story.api.order(order.order_id)) as unknown as { source_swap: { redeemer: string } }
  await expect(orderOf(wallet.address, swap.redeemer)).rejects.toMatchObject(
    refused('bad_request', /source\.delegate .* is the solver, the other party/),
  )
  await expect(orderOf(swap.redeemer)).rejects.toMatchObject({ httpStatus: 400 })

  for (const { order_id: id } of [order, other, penniless]) expect((await story.signed('service', id)).size).toBe(0)
  expect(await relayerAccount()).toEqual(before)
})

test('a delegate approves and initiates on behalf of the owner', async () => {
  const wallet = story.evm('ethereum_localnet')
  const owner = privateKeyToAccount(generatePrivateKey()).address
  const created = await orderOf(owner, wallet.address)
  if (!created.approval_transaction || !created.initiate_transaction) throw new Error('the delegate has to approve')
  await wallet.send(created.approval_transaction)
  await wallet.send(created.initiate_transaction)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap).toMatchObject({ initiator: owner.toLowerCase(), filled_amount: '1000000' })
})
