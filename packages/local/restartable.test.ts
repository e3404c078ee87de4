import { expect, test } from 'vitest'
import { createRestartable } from './restartable.ts'

function createProbe() {
  const said: string[] = []
  let count = 0
  let trouble: Error | null = null
  const restartable = createRestartable(async () => {
    count += 1
    const name = count
    said.push(`starting ${name}`)
    await new Promise((resolve) => setImmediate(resolve))
    if (trouble !== null) throw trouble
    said.push(`started ${name}`)
    return {
      name,
      async stop() {
        said.push(`stopping ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        if (trouble !== null) throw trouble
        said.push(`stopped ${name}`)
      },
    }
  })
  const setTrouble = (error: Error | null) => {
    trouble = error
  }
  return { restartable, said, setTrouble }
}

test('changes are made one at a time, in the order of the calls', async () => {
  const { restartable, said } = createProbe()
  await Promise.all([true, true, false, true].map((running) => restartable.setRunning(running)))
  expect(said).toEqual(['starting 1', 'started 1', 'stopping 1', 'stopped 1', 'starting 2', 'started 2'])
  expect(restartable.current()?.name).toBe(2)
  await restartable.setRunning(false)
  expect(restartable.current()).toBeNull()
})

test('a start or stop that fails rejects for its caller, and the next one still works', async () => {
  const { restartable, said, setTrouble } = createProbe()
  setTrouble(new Error('no'))
  await expect(restartable.setRunning(true)).rejects.toThrow('no')
  expect(restartable.current()).toBeNull()
  setTrouble(null)
  await restartable.setRunning(true)
  setTrouble(new Error('no'))
  await expect(restartable.setRunning(false)).rejects.toThrow('no')
  setTrouble(null)
  await restartable.setRunning(true)
  expect(said.at(-1)).toBe('started 3')
})
