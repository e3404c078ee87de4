/** Tests that the filter of known ids denies nothing before it has loaded all of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { createLoadedFilter } from './loaded-filter.ts'

let stored: string[]
let loads: number
let pause: Promise<unknown>
beforeEach(() => {
  stored = ['a', 'b', 'c']
  loads = 0
  pause = Promise.resolve()
})

const source = {
  count: async () => stored.length,
  async *ends() {
    loads += 1
    const [first, ...rest] = stored
    yield first === undefined ? [] : [first]
    await pause
    yield rest
  },
}
const loaded = (filter: ReturnType<typeof createLoadedFilter>) =>
  vi.waitFor(() => expect(filter.pass(['strange', 'more'])).toEqual([]), { timeout: 60_000 })

test('lets everything pass until it is loaded, and is not loaded for few ids', async () => {
  const filter = createLoadedFilter(source, 1)
  expect(filter.pass(['strange'])).toEqual(['strange'])
  await sleep(1)
  expect([filter.isInUse, loads]).toEqual([false, 0])
  expect(filter.pass(['a', 'strange'])).toEqual(['a', 'strange'])
  expect(filter.isInUse).toBe(true)
  await loaded(filter)
  expect(filter.pass(['c', 'strange', 'a'])).toEqual(['c', 'a'])
  expect(filter.pass(['strange'])).toEqual([])
  expect(loads).toBe(1)
})

test('has what is added while it is loading, and later', async () => {
  let proceed = (): void => undefined
  pause = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const filter = createLoadedFilter(source, 0)
  filter.pass(['a'])
  await vi.waitFor(() => expect(loads).toBe(1), { timeout: 60_000 })
  filter.add('d')
  expect(filter.pass(['strange'])).toEqual(['strange'])
  proceed()
  await loaded(filter)
  filter.add('e')
  expect(filter.pass(['d', 'e', 'f'])).toEqual(['d', 'e'])
})

test('is loaded again after `forget`, also in the middle of loading', async () => {
  const filter = createLoadedFilter(source, 0)
  filter.pass(['a'])
  filter.forget()
  stored.push('d')
  expect(filter.pass(['d'])).toEqual(['d'])
  await loaded(filter)
  expect(filter.pass(['d', 'e'])).toEqual(['d'])
  filter.forget()
  stored.push('e')
  expect(filter.pass(['e', 'f'])).toEqual(['e', 'f'])
  await loaded(filter)
  expect(filter.pass(['e', 'f'])).toEqual(['e'])
})

test('is loaded again when it is full', async () => {
  const filter = createLoadedFilter(source, 0)
  filter.pass(['a'])
  await loaded(filter)
  const added = Array.from({ length: 10_010 }, (_, n) => `id ${n}`)
  for (const id of added) filter.add(id)
  stored.push(...added)
  expect(filter.pass(['strange'])).toEqual(['strange'])
  await loaded(filter)
  expect(filter.pass(added)).toEqual(added)
})

test('lets everything pass if loading fails, and tries again', async () => {
  let fails = true
  const filter = createLoadedFilter({ ...source, count: () => (fails ? Promise.reject(new Error('gone')) : source.count()) }, 0)
  filter.pass(['a'])
  await vi.waitFor(() => expect(filter.isInUse).toBe(false), { timeout: 60_000 })
  expect(filter.pass(['strange'])).toEqual(['strange'])
  await vi.waitFor(() => expect(filter.isInUse).toBe(false), { timeout: 60_000 })
  fails = false
  filter.pass(['a'])
  await loaded(filter)
})
