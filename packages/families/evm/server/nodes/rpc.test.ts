/** Tests how the JSON-RPC answers and errors of EVM nodes are read. */

import { closeServersAfterEach, serve, serveText } from '@tandem/chain-kit/providers/wire.fixture.ts'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createNode } from './node.ts'
import { createRpc, NodeRefusal } from './rpc.ts'

closeServersAfterEach()

const result = (value: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: value })
const nodeAt = async (body: string | null, status?: number) => createNode(await serveText(body, status), 5_000)

it('a refused call carries its revert data; a refusal of a plain read means that the node is unreachable', async () => {
  const url = await serveText('{"error":{"code":3,"message":"execution reverted","data":"0x1234"}}')
  await expect(createRpc(url, 5_000).request('eth_call', [])).rejects.toMatchObject({ code: 3, data: '0x1234' })
  await expect(createNode(url, 5_000).chainId()).rejects.toMatchObject({ kind: 'unreachable' })
})

it('a broadcast is not repeated over a new connection', async () => {
  let requests = 0
  const url = await serve((request) => {
    requests += 1
    request.socket.destroy()
  })
  await expect(createNode(url, 5_000).broadcast('0x')).rejects.toMatchObject({ kind: 'unreachable' })
  expect(requests).toBe(1)
})

it('broadcasts of one moment go together, in their order, once the provider has answered a batch', async () => {
  const bodies: string[] = []
  const answer = ({ id, params: [raw] }: { readonly id: number; readonly params: readonly string[] }) =>
    raw === '0xbad' ? { id, error: { code: -32000, message: 'nonce too low' } } : { id, result: '0x1' }
  const url = await serve((_, response, body) => {
    bodies.push(body)
    const calls = JSON.parse(body)
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)))
  })
  const node = createNode(url, 5_000)
  const sent = async () => {
    bodies.length = 0
    const answers = await Promise.allSettled((['0xaa', '0xbad', '0xcc'] as const).map((raw) => node.broadcast(raw)))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    return bodies.map((body) => body.match(/0x(aa|bad|cc)/g)?.join() ?? '')
  }
  expect((await sent()).toSorted()).toEqual(['0xaa', '0xbad', '0xcc'])
  await Promise.all([node.priorityFee(), node.transactionCount('0x')])
  expect(await sent()).toEqual(['0xaa,0xbad,0xcc'])
})

describe('a provider that limits requests', () => {
  const error = (code: number, message: string, data?: string) => JSON.stringify({ error: { code, message, data } })

  it.each([
    ['by the status of its answer', error(-32000, 'slow down'), 429],
    ['by the code for limits', error(-32005, 'limit exceeded'), 200],
    ['by a code of its own', error(429, 'see your plan'), 200],
    ['in words', error(-32016, 'over rate limit'), 200],
  ])('says so %s, and is unreachable for a while', async (_, body, status) => {
    await expect((await nodeAt(body, status)).priorityFee()).rejects.toMatchObject({ name: 'RateLimited', kind: 'unreachable' })
  })

  it.each([
    ['too large a range', error(-32005, 'query returned more than 10000 results')],
    ['a contract, in its own words', error(3, 'execution reverted: rate limit', '0x1234')],
    ['a contract, by a node without data', error(-32000, 'execution reverted: too many requests')],
  ])('is not what is meant by %s', async (_, body) => {
    await expect((await nodeAt(body)).priorityFee()).rejects.toBeInstanceOf(NodeRefusal)
  })
})

describe('an answer', () => {
  it.each([
    ['a number', 1],
    ['text', 'latest'],
    ['nothing', '0x'],
    ['null', null],
  ])('that is %s is no quantity', async (_, value) => {
    await expect((await nodeAt(result(value))).chainId()).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('leaves out logs that a reorg removed or that are pending', async () => {
    const bytes32 = `0x${'11'.repeat(32)}`
    const log = {
      address: `0x${'22'.repeat(20)}`,
      topics: [bytes32],
      data: '0x',
      blockNumber: '0x7',
      blockHash: bytes32,
      transactionHash: bytes32,
      logIndex: '0x2',
    }
    const node = await nodeAt(
      result([
        { ...log, removed: true },
        { ...log, blockHash: null, blockNumber: null },
        { ...log, removed: false },
      ]),
    )
    const logs = await node.logs({ addresses: [], events: [], blockHash: `0x${'ab'.repeat(32)}` })
    expect(logs).toEqual([expect.objectContaining({ blockHeight: 7n, logIndex: 2n })])
  })
})

describe('the block that a node calls final', () => {
  const refusal = (message: string) => JSON.stringify({ error: { code: -32000, message } })

  it.each([
    ['is returned by its height', result({ number: '0x10' }), 16n],
    ['is 0 while there is none', result(null), 0n],
    ['is 0 while there is none, in the words of geth', refusal('finalized block not found'), 0n],
    ['is unknown to a node without such a tag', refusal('invalid argument 0: hex string without 0x prefix'), null],
  ])('%s', async (_, body, height) => {
    expect(await (await nodeAt(body)).finalHeight('finalized')).toBe(height)
  })

  it('is unreachable, not unsupported, when a node has an error', async () => {
    for (const trouble of ['internal error', 'upstream is gone', 'timeout'])
      await expect((await nodeAt(refusal(trouble))).finalHeight('finalized')).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('is unreachable, not unsupported, when a node does not answer', async () => {
    await expect((await nodeAt('<html>', 502)).finalHeight('finalized')).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

it.each([
  ['a JSON number, as on Citrea', 2_500_000_000, 2_500_000_000n],
  ['a quantity', '0x10', 16n],
  ['absent elsewhere', undefined, 0n],
])('the price of changed state is %s', async (_, l1FeeRate, rate) => {
  const header = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: '0x1' }
  expect(await (await nodeAt(result({ ...header, l1FeeRate }))).block(1n)).toMatchObject({ l1FeeRate: rate, baseFeePerGas: 0n })
})

it('a block at another height than requested is refused', async () => {
  const header = { number: '0x2', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: '0x1' }
  const node = await nodeAt(result(header))
  await expect(node.block(1n)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('expected block 1') })
  expect((await node.block('latest'))?.height).toBe(2n)
})

it('blocks and logs of many blocks are one request each', async () => {
  const requests: number[] = []
  const url = await serve((_, response, body) => {
    const asked = JSON.parse(body) as { id: number; method: string; params: [string] }[]
    requests.push(asked.length)
    const answer = (method: string, height: string) =>
      method === 'eth_getLogs' ? [] : { number: height, hash: `0x${'ab'.repeat(32)}`, parentHash: `0x${'cd'.repeat(32)}`, timestamp: '0x1' }
    response.end(JSON.stringify(asked.map(({ id, method, params }) => ({ id, result: answer(method, params[0]) }))))
  })
  const node = createNode(url, 5_000)
  const heights = [...Array(12).keys()].map(BigInt)
  expect((await Promise.all(heights.map((height) => node.block(height)))).map((block) => block?.height)).toEqual(heights)
  const queryOf = (height: bigint) => ({ addresses: [], events: [], blockHash: numberToHex(height, { size: 32 }) })
  await Promise.all(heights.map((height) => node.logs(queryOf(height))))
  expect(requests).toEqual([12, 12])
})

it('logs of a block without transactions take no request', async () => {
  const asked: string[] = []
  let header: object = {}
  let height = 0
  const url = await serve((_, response, body) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    asked.push(method)
    response.end(JSON.stringify({ id, result: method === 'eth_getLogs' ? [] : header }))
  })
  const node = createNode(url, 5_000)
  const logsOf = async (fields: object) => {
    height += 1
    const hash = numberToHex(height, { size: 32 })
    header = { number: '0x1', hash, parentHash: `0x${'cd'.repeat(32)}`, timestamp: '0x1', ...fields }
    await node.block('latest')
    asked.length = 0
    await node.logs({ addresses: [], events: [], blockHash: hash })
    return asked
  }
  expect(await logsOf({ transactions: [], gasUsed: '0x0' })).toEqual([])
  for (const other of [{}, { transactions: [] }, { gasUsed: '0x0' }, { transactions: [`0x${'11'.repeat(32)}`], gasUsed: '0x5208' }])
    expect(await logsOf(other)).toEqual(['eth_getLogs'])
})
