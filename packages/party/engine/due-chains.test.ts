import { expect, test } from 'vitest'
import { createDueChains } from './due-chains.ts'

const ALL_EVERY_MS = 1000

let ms: number
const create = () => {
  ms = 0
  const due = createDueChains(ALL_EVERY_MS, () => ms)
  const look = async (more = false) => {
    let seen: readonly string[] | 'all' = []
    await due.look(async ({ chains }) => {
      seen = chains ?? 'all'
      return { more }
    })
    return seen
  }
  return { ...due, look, pass: due.look }
}

test('a pass looks at the chains that changed since the last one, and at all once a second', async () => {
  const due = create()
  expect(await due.look()).toBe('all')
  for (const chain of ['a', 'b', 'a']) due.changed(chain)
  expect(await due.look()).toEqual(['a', 'b'])
  ms = ALL_EVERY_MS - 1
  expect(await due.look()).toEqual([])
  ms = ALL_EVERY_MS
  expect(await due.look()).toBe('all')
  expect(await due.look()).toEqual([])
})

test('what changes during a pass is left to the next', async () => {
  const due = create()
  await due.look()
  due.changed('a')
  await due.pass(async () => {
    due.changed('b')
    return { more: false }
  })
  expect(await due.look()).toEqual(['b'])
})

test('after a pass that failed or did not finish, the next one looks at all', async () => {
  const due = create()
  await due.look()
  due.changed('a')
  await expect(due.pass(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
  expect(await due.look(true)).toBe('all')
  expect(await due.look()).toBe('all')
  expect(await due.look()).toEqual([])
})
