/** Tests which orders of a phrase are found at a service. */
import { hashSecret } from '@tandem/protocol/secret.ts'
import { expect, test } from 'vitest'
import type { SwapContext } from '../swap/context.ts'
import { findOrders } from './restore.ts'

const secretOf = (index: number) => index.toString(16).padStart(64, '0')

/** A service with orders at these indices; `asked`: how many hashes each request had. */
function serviceWith(used: readonly number[]) {
  const asked: number[] = []
  const indexOf = new Map(Array.from({ length: 200 }, (_, index) => [hashSecret(secretOf(index)), index]))
  const client = {
    orders: async ({ secret_hash = '' }) => {
      const hashes = secret_hash.split(',')
      asked.push(hashes.length)
      const data = hashes.filter((hash) => used.includes(indexOf.get(hash) ?? -1)).map((hash) => ({ source_swap: { secret_hash: hash } }))
      return { data: data.toReversed() }
    },
  }
  const keys = { secretFor: async (index: number) => secretOf(index) }
  return { asked, context: { client, keys } as unknown as Pick<SwapContext, 'client' | 'keys'> }
}

test.each([
  [[], 20, [], 1],
  [[0, 19], 20, [0, 19], 2],
  [[3, 22, 42], 20, [3, 22, 42], 4],
  [[3, 45], 20, [3], 2],
  [[3, 45], 60, [3, 45], 6],
])('orders at %j are found with a gap of %i: %j, by %i requests', async (used, gap, expected, requests) => {
  const { asked, context } = serviceWith(used)
  const found: number[] = []
  for await (const { index } of findOrders(context, gap)) found.push(index)
  expect(found).toEqual(expected)
  expect(asked).toEqual(Array.from({ length: requests }, () => 20))
})

test('the number of requests to a service that has an order for every index is bounded', async () => {
  const keys = { secretFor: async (index: number) => secretOf(index) }
  const orders = async ({ secret_hash = '' }) => ({ data: secret_hash.split(',').map((hash) => ({ source_swap: { secret_hash: hash } })) })
  const search = findOrders({ client: { orders }, keys } as unknown as Pick<SwapContext, 'client' | 'keys'>, 20)
  await expect(async () => {
    for await (const _ of search);
  }).rejects.toThrow('does not tell the truth')
})
