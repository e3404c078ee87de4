/** Tests that work of one name runs one at a time. */
import { expect, test } from 'vitest'
import { createMutex } from './mutex.ts'

test('work of one name runs in the order of the calls, also after a failure; another name does not wait', async () => {
  const mutex = createMutex()
  const steps: string[] = []
  const work = (step: string) => async () => {
    steps.push(`${step} begins`)
    await Promise.resolve()
    steps.push(`${step} ends`)
    if (step === 'first') throw new Error('failed')
    return step
  }
  const results = await Promise.allSettled([mutex('a', work('first')), mutex('a', work('second')), mutex('b', work('other'))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(steps).toEqual(['first begins', 'other begins', 'first ends', 'other ends', 'second begins', 'second ends'])
})
