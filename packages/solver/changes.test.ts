import { expect, test } from 'vitest'
import { createChanges } from './changes.ts'

const NEVER_MS = 3_600_000

test('answers with the chains that changed since, each once', async () => {
  const changes = createChanges(NEVER_MS)
  changes.note('a')
  changes.note('b')
  changes.note('a')
  const first = await changes.since(0, 'a service')
  expect(first).toEqual({ next: 3, chains: ['a', 'b'] })
  changes.note('b')
  expect(await changes.since(first.next, 'a service')).toEqual({ next: 4, chains: ['b'] })
})

test('waits for the next change, and tells it to all who wait', async () => {
  const changes = createChanges(NEVER_MS)
  const waiting = [changes.since(0, 'a service'), changes.since(0, 'a service')]
  changes.note('a')
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 2 }, () => ({ next: 1, chains: ['a'] })))
})

test('does not tell of chains that one need not hear of', async () => {
  const changes = createChanges(NEVER_MS)
  changes.note('a')
  let isAnswered = false
  const waiting = changes.since(0, 'a service', ['a']).finally(() => {
    isAnswered = true
  })
  changes.note('a')
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  changes.note('b')
  expect(await waiting).toEqual({ next: 3, chains: ['b'] })
})

test('answers with nothing after a while, and when it is closed', async () => {
  expect(await createChanges(1).since(0, 'a service')).toEqual({ next: 0, chains: [] })
  const changes = createChanges(NEVER_MS)
  const waiting = changes.since(0, 'a service')
  changes.close()
  expect(await waiting).toEqual({ next: 0, chains: [] })
  expect(await changes.since(0, 'a service')).toEqual({ next: 0, chains: [] })
})

test('a number from before a restart misses nothing', async () => {
  const changes = createChanges(NEVER_MS)
  changes.note('a')
  expect(await changes.since(1000, 'a service')).toEqual({ next: 1, chains: ['a'] })
})

test('lets only so many wait', async () => {
  const changes = createChanges(NEVER_MS)
  const waiting = Array.from({ length: 32 }, () => changes.since(0, 'a service'))
  expect(await changes.since(0, 'a service')).toEqual({ next: 0, chains: [] })
  changes.close()
  await Promise.all(waiting)
})
