/** Tests which chains a pass searches for due actions. */
import { expect, test } from 'vitest'
import { createDueChains } from './due-chains.ts'

const ALL_EVERY_MS = 1000

let ms: number
const create = () => {
  ms = 0
  const due = createDueChains(ALL_EVERY_MS, () => ms)
  const chainsOfPass = async (more = false) => {
    let seen: readonly string[] | 'all' = []
    await due.run(async ({ chains }) => {
      seen = chains ?? 'all'
      return { more }
    })
    return seen
  }
  return { ...due, chainsOfPass, pass: due.run }
}

test('a pass searches by the chains that changed since the last pass, and once a second by all chains', async () => {
  const due = create()
  expect(await due.chainsOfPass()).toBe('all')
  for (const chain of ['a', 'b', 'a']) due.changed(chain)
  expect(await due.chainsOfPass()).toEqual(['a', 'b'])
  ms = ALL_EVERY_MS - 1
  expect(await due.chainsOfPass()).toEqual([])
  ms = ALL_EVERY_MS
  expect(await due.chainsOfPass()).toBe('all')
  expect(await due.chainsOfPass()).toEqual([])
})

test('a change during a pass is left to the next pass', async () => {
  const due = create()
  await due.chainsOfPass()
  due.changed('a')
  await due.pass(async () => {
    due.changed('b')
    return { more: false }
  })
  expect(await due.chainsOfPass()).toEqual(['b'])
})

test('after a pass that failed or did not finish, the next one searches by all', async () => {
  const due = create()
  await due.chainsOfPass()
  due.changed('a')
  await expect(due.pass(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
  expect(await due.chainsOfPass(true)).toBe('all')
  expect(await due.chainsOfPass()).toBe('all')
  expect(await due.chainsOfPass()).toEqual([])
})
