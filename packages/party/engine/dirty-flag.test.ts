/** Tests that no change is lost between two runs. */
import { expect, test } from 'vitest'
import { createDirtyFlag } from './dirty-flag.ts'

const open = () => {
  const flag = createDirtyFlag()
  const isDirty = () => flag.run(async (dirty) => dirty)
  return { flag, isDirty }
}

test('a run is dirty if something changed since the last one began', async () => {
  const { flag, isDirty } = open()
  expect(await isDirty()).toBe(false)
  flag.set()
  expect(
    await flag.run(async (dirty) => {
      flag.set()
      return dirty
    }),
  ).toBe(true)
  expect(await isDirty()).toBe(true)
  expect(await isDirty()).toBe(false)
})

test('the run after a failed one is dirty too', async () => {
  const { flag, isDirty } = open()
  flag.set()
  await expect(flag.run(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
  expect(await isDirty()).toBe(true)
  expect(await isDirty()).toBe(false)
})
