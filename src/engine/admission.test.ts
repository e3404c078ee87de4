import { describe, expect, test } from 'vitest'
import { createAdmission, isOverloaded } from './admission.ts'

describe('overloaded', () => {
  test.each([
    { was: false, waitMs: 0, is: false },
    { was: false, waitMs: 2000, is: false },
    { was: false, waitMs: 2001, is: true },
    { was: true, waitMs: 2000, is: true },
    { was: true, waitMs: 501, is: true },
    { was: true, waitMs: 500, is: false },
  ])('before $was, with a wait of $waitMs ms: $is', ({ was, waitMs, is }) => {
    expect(isOverloaded(was, waitMs)).toBe(is)
  })
})

test('refuses from the upper limit down to the lower one, and tells each change once', () => {
  const changes: [boolean, number][] = []
  let waitMs = 0
  const { admits } = createAdmission(
    () => waitMs,
    (overloaded, waited) => changes.push([overloaded, waited]),
  )
  const answers = [100, 1900, 2100, 1900, 600, 600, 400, 1900].map((next) => {
    waitMs = next
    return admits()
  })
  expect(answers).toEqual([true, true, false, false, false, false, true, true])
  expect(changes).toEqual([
    [true, 2100],
    [false, 400],
  ])
})
