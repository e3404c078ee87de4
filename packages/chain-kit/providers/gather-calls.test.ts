/** Tests which calls become one batch, and how refusals of a batch are treated. */
import { expect, test } from 'vitest'
import { gatherCalls } from './gather-calls.ts'
import type { RpcCall, RpcParams } from './json-rpc.ts'
import { Refusal } from './refusal.ts'

function simulateRpc(answer: (call: RpcCall) => unknown) {
  const sent: (readonly RpcCall[])[] = []
  return {
    sent,
    rpc: {
      async call(method: string, params: RpcParams) {
        sent.push([{ method, params }])
        const result = answer({ method, params })
        if (result instanceof Refusal) throw result
        return result
      },
      async batch(calls: readonly RpcCall[]) {
        sent.push(calls)
        return calls.map(answer)
      },
    },
  }
}

const numberIn = ({ params }: RpcCall): unknown => Object.values(params)[0]

test('calls of one moment are one batch, each with its own answer or refusal; a single call is not a batch', async () => {
  const { rpc, sent } = simulateRpc((call) => (numberIn(call) === 2 ? new Refusal(-5, 'not found', null) : `answer ${numberIn(call)}`))
  const call = gatherCalls(rpc)
  const results = await Promise.allSettled([1, 2, 3].map((number) => call('get', [number])))
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
    'answer 1',
    'not found',
    'answer 3',
  ])
  expect(sent.map((calls) => calls.length)).toEqual([3])
  expect(await call('get', [4])).toBe('answer 4')
  await expect(call('get', [2])).rejects.toThrow('not found')
  expect(sent.map((calls) => calls.length)).toEqual([3, 1, 1])
})

test('a batch has at most 50 calls, and a node that does not answer fails only the calls of its batch', async () => {
  const { rpc, sent } = simulateRpc(numberIn)
  const failing = {
    ...rpc,
    async batch(calls: readonly RpcCall[]) {
      if (sent.length === 1) throw new Error('no answer')
      return rpc.batch(calls)
    },
  }
  const call = gatherCalls(failing)
  const results = await Promise.allSettled(Array.from({ length: 125 }, (_, number) => call('get', [number])))
  const failed = results.flatMap((result, number) => (result.status === 'rejected' ? [number] : []))
  expect([sent[0]?.length, failed.length, failed[0]]).toEqual([50, 75, 50])
})

test('a batch that is refused as a whole refuses none of its calls: they are sent singly', async () => {
  const { rpc, sent } = simulateRpc((call) => (numberIn(call) === 2 ? new Refusal(-26, 'nonce too low', null) : `answer ${numberIn(call)}`))
  const limited = { ...rpc, batch: () => Promise.reject(new Refusal(-32_600, 'batch too large', null)) }
  const call = gatherCalls(limited)
  const results = await Promise.allSettled([1, 2, 3].map((number) => call('send', [number])))
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
    'answer 1',
    'nonce too low',
    'answer 3',
  ])
  expect(sent.map((calls) => calls.length)).toEqual([1, 1, 1])
})
