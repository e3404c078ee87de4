/** The API runs in one process, the engine in another, and the keys of the solver are in a third, its signer. */

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { startServiceProcess } from '@tandem/local/service-process.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { expect, test } from 'vitest'
import { openStory } from './story.ts'

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'], split: true }))

const ask = async (method: string, path: string, body?: unknown) => {
  const { base_url, app_id } = story.stack.info
  const response = await fetch(new URL(path, base_url), {
    method,
    headers: { 'service-app-id': app_id, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
}

test('the API takes the order and the signature, and the engine relays and redeems', async () => {
  expect(await ask('GET', '/readyz')).toMatchObject({ status: 200 })
  await story.approve('ethereum_localnet:wbtc')
  const before = await story.balance('bitcoin_regtest:btc')
  const created = await story.order('ethereum_localnet:wbtc', 'bitcoin_regtest:btc', 1_000_000n)
  await story.api.initiate(created.order_id, await story.evm('ethereum_localnet').signTypedData(created.typed_data ?? {}))
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  // The payout pays its own network fee.
  expect(before + BigInt(done.destination_swap.amount) - (await story.balance('bitcoin_regtest:btc'))).toBeLessThan(5_000n)
})

test('the keys of the solver are in its signer, which signs for it and ends with the stack', async () => {
  const { signer, configs } = story.stack
  const config = JSON.parse(await readFile(configs.solverFile, 'utf8'))
  expect(Object.values(config.private_key)).toEqual([{ public_key: expect.any(String) }])
  const pid = signer?.current()?.pid
  expect(pid).toEqual(expect.any(Number))
  expect(pid).not.toBe(process.pid)
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
  const journal = await readFile(join(dirname(configs.solverFile), 'signer', 'journal'), 'utf8')
  const ofOrder = journal.split('\n').filter((line) => line.includes(created.order_id))
  expect(ofOrder.some((line) => line.includes('"kind":"lock"'))).toBe(true)
  expect(ofOrder.some((line) => line.includes(`redeem source of ${created.order_id}`))).toBe(true)
  await signer?.setRunning(false)
  expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH')
  await signer?.setRunning(true)
})

test('the user asks the API for a refund, and the engine sends it', async () => {
  const before = await story.balance('bitcoin_regtest:btc')
  const { order_id, order_token, to } = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.bitcoin().pay(to ?? '', 900_000n)
  await story.until(order_id, 'the deposit', (order) => order.source_swap.current_confirmations > 0)
  const tx = await story.api.call('PATCH', `/orders/${order_id}?action=instant-refund`, { signatures: [], order_token })
  expect((await story.untilStatus(order_id, 'refunded')).source_swap.refund_tx_hash).toBe(tx)
  expect(before - (await story.balance('bitcoin_regtest:btc'))).toBeLessThan(5_000n)
})

test('the process of the API is killed after it took the order: the swap completes without it', async () => {
  const { service, configs } = story.stack
  await service.setRunning(false)
  const api = await startServiceProcess('api', configs.apiFile, 'silent')
  const before = await story.balance('ethereum_localnet:wbtc')
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  process.kill(api.pid, 'SIGKILL')
  await api.stop()
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilSeen('service', created.order_id, 'source redeemed')
  await expect(ask('GET', '/livez')).rejects.toThrow('fetch failed')
  await service.setRunning(true)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
  expect((await story.signed('service', created.order_id)).get('redeem destination')).toHaveLength(1)
})

test('without an engine the API says so, takes no order, and shows those that exist; with one again it takes them', async () => {
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.stack.engine?.setRunning(false)
  await story.eventually('the API to miss the engine', async () => (await ask('GET', '/readyz')).status === 503)
  expect((await ask('GET', '/readyz')).text).toContain('no engine is running')
  const quotePath = '/v2/quote?from=bitcoin_regtest:btc&to=ethereum_localnet:wbtc&from_amount=1000000'
  for (const refused of [await ask('GET', quotePath), await ask('POST', '/v2/orders', {})])
    expect(refused).toMatchObject({ status: 503, retryAfter: '2', text: expect.stringContaining('no engine is running') })
  expect(await ask('GET', `/v2/orders/${created.order_id}`)).toMatchObject({ status: 200 })

  await story.stack.engine?.setRunning(true)
  await story.eventually('the API to see the engine', async () => (await ask('GET', '/readyz')).status === 200)
  await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
})
