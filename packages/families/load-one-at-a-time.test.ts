/** Tests that loads run one after another. */
import { expect, test } from 'vitest'
import { loadOneAtATime } from './load-one-at-a-time.ts'

test('a load begins when the one before it has ended, also if that failed', async () => {
  const steps: string[] = []
  const load = (name: string, fails = false) =>
    loadOneAtATime(async () => {
      steps.push(`${name} begins`)
      await Promise.resolve()
      steps.push(`${name} ends`)
      if (fails) throw new Error(`${name} is broken`)
      return name
    })
  const results = await Promise.allSettled([load('a', true), load('b')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})
