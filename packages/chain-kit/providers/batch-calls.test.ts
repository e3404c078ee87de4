/** Tests which calls share a request, and how a provider without batches is treated. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ChainFailure } from '../port/failure.ts'
import { batchCalls } from './batch-calls.ts'
import type { RpcCall, RpcParams } from './json-rpc.ts'
import { Refusal } from './refusal.ts'

function simulate(answerBatch: (calls: readonly RpcCall[]) => readonly unknown[]) {
  const requests: unknown[][] = []
  const clock = { ms: 0 }
  const rpc: Parameters<typeof batchCalls>[0] = {
    async call(_method, params) {
      requests.push([firstOf(params)])
      return firstOf(params)
    },
    async batch(calls) {
      requests.push(calls.map(({ params }) => firstOf(params)))
      return answerBatch(calls)
    },
  }
  const call = batchCalls(rpc, () => clock.ms)
  return { requests, clock, ask: (params: readonly unknown[]) => Promise.all(params.map((param) => call('echo', [param]))) }
}
const firstOf = (params: RpcParams): unknown => Object.values(params)[0]
const echo = (calls: readonly RpcCall[]) => calls.map(({ params }) => firstOf(params))
const fail = () => {
  throw new ChainFailure('unreachable', 'HTTP 400 without JSON')
}

it('calls made at the same moment share one request', async () => {
  const { requests, ask } = simulate(echo)
  expect(await ask([1, 2, 3])).toEqual([1, 2, 3])
  expect(await ask([4])).toEqual([4])
  expect(requests).toEqual([[1, 2, 3], [4]])
})

it('the same call asked several times is sent once', async () => {
  const { requests, ask } = simulate(echo)
  expect(await ask([1, 2, 1, 1])).toEqual([1, 2, 1, 1])
  expect(requests).toEqual([[1, 2]])
  expect(await ask([1])).toEqual([1])
})

it('calls made while a request is under way share the next one, and wait only a few milliseconds for it', async () => {
  const answers: (() => void)[] = []
  const requests: unknown[][] = []
  const slow = <T>(params: unknown[], answer: T) =>
    new Promise<T>((resolve) => {
      requests.push(params)
      answers.push(() => resolve(answer))
    })
  const call = batchCalls({
    call: (_, params) => slow([firstOf(params)], firstOf(params)),
    batch: (calls) => slow(echo(calls), echo(calls)),
  })
  const first = call('echo', [1])
  await expect.poll(() => requests).toEqual([[1]])
  const others = [call('echo', [2])]
  setImmediate(() => others.push(call('echo', [3])))
  await sleep(1)
  answers[0]?.()
  expect(await first).toBe(1)
  await expect.poll(() => requests).toEqual([[1], [2, 3]])
  // The second request hangs, and the next call does not wait for it.
  const last = call('echo', [4])
  await expect.poll(() => requests).toEqual([[1], [2, 3], [4]])
  for (const answer of answers) answer()
  expect(await Promise.all([...others, last])).toEqual([2, 3, 4])
})

it('more calls than a batch may have take several requests', async () => {
  const { requests, ask } = simulate(echo)
  const params = [...Array(120).keys()]
  expect(await ask(params)).toEqual(params)
  expect(requests.map((calls) => calls.length)).toEqual([50, 50, 20])
})

it('a refusal rejects only its own call', async () => {
  const refusal = new Refusal(-32_000, 'unknown block')
  const { ask } = simulate((calls) => calls.map(({ params }) => (firstOf(params) === 2 ? refusal : firstOf(params))))
  const refused = ask([2, 5])
  await expect(refused).rejects.toBe(refusal)
  expect(await ask([1, 3])).toEqual([1, 3])
})

it('a provider that does not support batches gets single calls from then on', async () => {
  const { requests, ask } = simulate(fail)
  expect(await ask([1, 2])).toEqual([1, 2])
  expect(await ask([3, 4])).toEqual([3, 4])
  expect(requests).toEqual([[1, 2], [1], [2], [3], [4]])
})

it('a provider whose first batch failed for another reason gets batches again, after a while', async () => {
  let isUp = false
  const { requests, clock, ask } = simulate((calls) => (isUp ? echo(calls) : fail()))
  await ask([1, 2])
  isUp = true
  await ask([3, 4])
  clock.ms = 600_000
  await ask([5, 6])
  expect(requests).toEqual([[1, 2], [1], [2], [3], [4], [5, 6]])
})

it('a failed batch is not repeated as single calls if the provider supports batches', async () => {
  let isUp = true
  const { requests, ask } = simulate((calls) => (isUp ? echo(calls) : fail()))
  await ask([1, 2])
  isUp = false
  await expect(ask([3, 4])).rejects.toMatchObject({ kind: 'unreachable' })
  expect(requests).toEqual([
    [1, 2],
    [3, 4],
  ])
})
