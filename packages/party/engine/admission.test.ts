/** Tests how many orders and quotes are taken while actions are late. */
import { describe, expect, test } from 'vitest'
import { admittedShare, createAdmission } from './admission.ts'

test.each([
  [0, 1],
  [1000, 1],
  [1500, 0.75],
  [2000, 0.5],
  [2900, 0.05],
  [3000, 0],
  [60_000, 0],
])('with a wait of %i ms, %f of the orders are taken', (waitMs, share) => {
  expect(admittedShare(waitMs)).toBeCloseTo(share)
})

describe('admission', () => {
  let waitMs = 0
  const changes: [boolean, number][] = []
  const { admits } = createAdmission(
    () => waitMs,
    (overloaded, waited) => changes.push([overloaded, waited]),
  )
  const answers = (count: number) => Array.from({ length: count }, () => admits('order'))

  test.each([
    [500, 40],
    [1500, 30],
    [2000, 20],
    [2500, 10],
    [3000, 0],
  ])('with a wait of %i ms takes %i of 40 orders, evenly', (wait, taken) => {
    waitMs = 0
    answers(1)
    waitMs = wait
    const taking = answers(40)
    expect(taking.filter(Boolean)).toHaveLength(taken)
    for (let from = 0; from + 8 <= 40; from += 8) expect(taking.slice(from, from + 8).filter(Boolean)).toHaveLength(taken / 5)
  })

  test('refuses quotes only while it takes no order, and a quote costs no order its place', () => {
    waitMs = 2999
    expect(admits('quote')).toBe(true)
    waitMs = 3000
    expect(admits('quote')).toBe(false)
    waitMs = 2000
    answers(2)
    for (let count = 0; count < 9; count += 1) admits('quote')
    expect(answers(8).filter(Boolean)).toHaveLength(4)
  })

  test('reports an overload once it takes less than half, and of its end once it takes all', () => {
    waitMs = 0
    answers(1)
    changes.length = 0
    for (waitMs of [1500, 2000, 2001, 3500, 1500, 1001, 1000, 1500]) answers(1)
    expect(changes).toEqual([
      [true, 2001],
      [false, 1000],
    ])
  })
})
