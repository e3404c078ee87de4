import { expect, test } from 'vitest'
import { createSigningLimit } from './signing-limit.ts'

const times = (count: number, run: () => void) => {
  for (let index = 0; index < count; index += 1) run()
}

test('allows ten signings a minute for each order and asker, and says when to try again', () => {
  let now = 0
  const limit = createSigningLimit(() => now)
  times(10, () => limit.count('order', 'anyone'))
  now = 20_500
  expect(() => limit.count('order', 'anyone')).toThrow(
    expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 40, message: expect.stringContaining('try again in 40 seconds') }),
  )
  times(10, () => limit.count('order', 'token holder'))
  expect(() => limit.count('order', 'token holder')).toThrow('10 times in a minute')
  limit.count('another order', 'anyone')
  now = 60_000
  limit.count('order', 'anyone')
})
