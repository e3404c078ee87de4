// Tests the websocket: answers by id, messages of subscriptions, and faults of the network.
import { once } from 'node:events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Fields } from '../ledger/metadata.ts'
import { openXrplFixture, type XrplFixture } from '../xrpl.fixture.ts'

let fixture: XrplFixture
let socket: WebSocket
let heard: Fields[]
beforeEach(async () => {
  fixture = await openXrplFixture()
  socket = await connect()
})
afterEach(async () => {
  socket.terminate()
  await fixture.close()
})

async function connect(): Promise<WebSocket> {
  const opened = new WebSocket(fixture.url)
  heard = []
  opened.on('message', (text) => heard.push(JSON.parse(String(text))))
  await once(opened, 'open')
  return opened
}

let lastId = 0
async function ask(request: Fields | string): Promise<Fields> {
  lastId += 1
  const id = lastId
  socket.send(typeof request === 'string' ? request : JSON.stringify({ id, api_version: 2, ...request }))
  for (;;) {
    await once(socket, 'message')
    const answer = heard.find((message) => (typeof request === 'string' ? message.error === 'jsonInvalid' : message.id === id))
    if (answer !== undefined) return answer
  }
}

const pay = (from: 0 | 1 | 2, to: 0 | 1 | 2) =>
  fixture.accounts[from].sender.send({ TransactionType: 'Payment', Destination: fixture.accounts[to].address, Amount: '7' })

const tip = () => fixture.chain.node.history.tip().index

it('answers by id, and tells what is wrong with a request', async () => {
  const [one, two] = await Promise.all([ask({ command: 'ledger_current' }), ask({ command: 'fly' })])
  expect(one).toMatchObject({ status: 'success', type: 'response', result: { ledger_current_index: tip() + 1 } })
  expect(two).toMatchObject({ status: 'error', type: 'response', error: 'unknownCmd', request: { command: 'fly' } })
  expect(await ask('{')).toMatchObject({ error: 'jsonInvalid' })
  expect(await ask({ command: 'subscribe', streams: ['moon'] })).toMatchObject({ error: 'malformedStream' })
})

it('tells of ledgers, of all transactions or of those of an account, until nobody wants to know', async () => {
  const streams = ['ledger', 'transactions']
  const before = tip()
  expect(await ask({ command: 'subscribe', streams })).toMatchObject({ result: { ledger_index: before, validated_ledgers: `1-${before}` } })
  const { transaction } = pay(0, 1)
  fixture.chain.mine()
  await ask({ command: 'unsubscribe', streams })
  await ask({ command: 'subscribe', accounts: [fixture.accounts[2].address] })
  pay(0, 1)
  const ours = pay(0, 2)
  fixture.chain.mine()
  await ask({ command: 'ping' })
  const events = heard.filter(({ type }) => type !== 'response')
  expect(events).toMatchObject([
    { type: 'ledgerClosed', ledger_index: before + 1, txn_count: 1, ledger_hash: fixture.chain.node.history.at(before + 1)?.hash },
    { type: 'transaction', hash: transaction.hash, engine_result: 'tesSUCCESS', ledger_index: before + 1, validated: true },
    { type: 'transaction', hash: ours.transaction.hash, meta: { delivered_amount: '7' }, ledger_index: before + 2 },
  ])
  expect(fixture.chain.subscriberCount()).toBe(1)
  socket.close()
  await once(socket, 'close')
  await expect.poll(() => fixture.chain.subscriberCount()).toBe(0)
})

it('can be cut off', async () => {
  const closed = once(socket, 'close')
  fixture.chain.faults.offline(true)
  await closed
  const refused = new WebSocket(fixture.url)
  await once(refused, 'error')
  fixture.chain.faults.offline(false)
  socket = await connect()
  expect(await ask({ command: 'ping' })).toMatchObject({ status: 'success' })
})
