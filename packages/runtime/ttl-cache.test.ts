/** Tests what the cache keeps, for how long, and how much of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTtlCache } from './ttl-cache.ts'

function countingLoads() {
  const loads: string[] = []
  return {
    loads,
    load: (key: string) => async () => {
      loads.push(key)
      await sleep(1)
      return `${key} ${loads.length}`
    },
  }
}

test('concurrent and later requests for a key share one load', async () => {
  const cache = createTtlCache<string>({ keepMs: 60_000, maxEntries: 10 })
  const { loads, load } = countingLoads()
  expect(await Promise.all([cache.get('a', load('a')), cache.get('a', load('a'))])).toEqual(['a 1', 'a 1'])
  expect(await cache.get('a', load('a'))).toBe('a 1')
  expect(await cache.get('b', load('b'))).toBe('b 2')
  expect(loads).toEqual(['a', 'b'])
})

test('with a TTL of zero, only concurrent requests share a load', async () => {
  const cache = createTtlCache<string>({ keepMs: 0, maxEntries: 10 })
  const { load } = countingLoads()
  expect(await Promise.all([cache.get('a', load('a')), cache.get('a', load('a'))])).toEqual(['a 1', 'a 1'])
  expect(await cache.get('a', load('a'))).toBe('a 2')
})

test('a failed load rejects all waiting requests, and the next request loads again', async () => {
  const cache = createTtlCache<string>({ keepMs: 60_000, maxEntries: 10 })
  const fail = async () => Promise.reject(new Error('no'))
  const both = await Promise.allSettled([cache.get('a', fail), cache.get('a', async () => 'late')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.get('a', async () => 'yes')).toBe('yes')
})

test('evicts the oldest entry when the cache is full', async () => {
  const cache = createTtlCache<string>({ keepMs: 60_000, maxEntries: 2 })
  const { loads, load } = countingLoads()
  for (const key of ['a', 'b', 'c', 'c', 'b', 'a']) await cache.get(key, load(key))
  expect(loads).toEqual(['a', 'b', 'c', 'a'])
})

test('evicts an entry after its TTL', async () => {
  const cache = createTtlCache<string>({ keepMs: 60_000, maxEntries: 2 })
  for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, async () => key)
  expect(cache.peek('a')).toBe(undefined)
  expect(cache.peek('d')).toBe('d')
  const brief = createTtlCache<string>({ keepMs: 5, maxEntries: 2 })
  await brief.get('a', async () => 'a')
  expect(brief.peek('a')).toBe('a')
  while (brief.peek('a') !== undefined) await sleep(5)
})
