// These tests read new blocks and reorgs over websocket, in the messages of Starknet's specification. The SDK's own channel needs Node 22.
import { once } from 'node:events'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startStarknetChain } from '../starknet-chain.ts'

const chain = opened(() => startStarknetChain({ mining: 'manual' }))
let socket: WebSocket
const seen: {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { code: number }
  readonly method?: string
  readonly params?: object
}[] = []
beforeAll(async () => {
  socket = new WebSocket(chain.webSocketUrl)
  socket.on('message', (message) => seen.push(JSON.parse(String(message))))
  await once(socket, 'open')
})

async function ask(method: string, params: object): Promise<(typeof seen)[number]> {
  seen.length = 0
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))
  return expect
    .poll(() => seen.find(({ id }) => id === 7))
    .toBeDefined()
    .then(() => seen[0] ?? {})
}

it('tells subscribers of new blocks and reorganisations, until they unsubscribe or leave', async () => {
  const { result: id } = await ask('starknet_subscribeNewHeads', {})
  expect(chain.subscriptionCount()).toBe(1)
  chain.mine()
  const { number, hash } = chain.node.ledger.tip()
  await expect
    .poll(() => seen.at(-1))
    .toMatchObject({
      method: 'starknet_subscriptionNewHeads',
      params: { subscription_id: id, result: { block_number: number, block_hash: `0x${hash.toString(16)}` } },
    })
  chain.faults.reorg(1)
  await expect.poll(() => seen.map(({ method }) => method)).toContain('starknet_subscriptionReorg')
  expect(seen.find(({ method }) => method === 'starknet_subscriptionReorg')?.params).toMatchObject({
    result: { starting_block_number: number, ending_block_number: number },
  })
  expect((await ask('starknet_unsubscribe', { subscription_id: '99' })).error).toMatchObject({ code: 66 })
  expect((await ask('starknet_unsubscribe', { subscription_id: id })).result).toBe(true)
  expect(chain.subscriptionCount()).toBe(0)
  expect((await ask('starknet_blockNumber', {})).result).toBe(number)
  await ask('starknet_subscribeNewHeads', {})
  socket.close()
  await expect.poll(() => chain.subscriptionCount()).toBe(0)
})
