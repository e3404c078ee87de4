import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { giveBackMemory } from './give-back-memory.ts'

test('what nobody needs any more is gone', async () => {
  const garbage = new WeakRef({ text: 'x'.repeat(1000) })
  await turn()
  giveBackMemory()
  expect(garbage.deref()).toBeUndefined()
  expect('gc' in globalThis).toBe(false)
})
