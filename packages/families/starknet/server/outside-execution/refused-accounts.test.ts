/** Tests that an account is refused for an hour, and that the memory is bounded. */

import { expect, test } from 'vitest'
import { createRefusedAccounts } from './refused-accounts.ts'

const HOUR_MS = 3_600_000
const MAX_REFUSED = 10_000

test('an account is refused for an hour after its newest failure, and no other is', () => {
  let now = 0
  const refused = createRefusedAccounts(() => now)
  refused.refuse('0x1')
  now = HOUR_MS - 1
  expect([refused.isRefused('0x1'), refused.isRefused('0x2')]).toEqual([true, false])
  refused.refuse('0x1')
  now = 2 * HOUR_MS - 2
  expect(refused.isRefused('0x1')).toBe(true)
  now += 1
  expect(refused.isRefused('0x1')).toBe(false)
})

test('the oldest is evicted when there are too many', () => {
  const refused = createRefusedAccounts(() => 0)
  for (let account = 0; account < MAX_REFUSED; account += 1) refused.refuse(`0x${account}`)
  refused.refuse('0x0')
  refused.refuse('one more')
  expect([refused.isRefused('0x0'), refused.isRefused('0x1'), refused.isRefused('0x2')]).toEqual([true, false, true])
})
