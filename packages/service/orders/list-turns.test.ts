import { expect, test } from 'vitest'
import { inSlices, SLICE } from './list-turns.ts'

test('several long lists derive one slice in each turn of the event loop, and lose nothing', async () => {
  let turn = 0
  let isOver = false
  const tick = () => {
    turn += 1
    if (!isOver) setImmediate(tick)
  }
  tick()
  const described = new Map<number, number>()
  const numbers = Array.from({ length: 4 * SLICE + 1 }, (_, index) => index)
  const most: number[] = []
  const list = () =>
    inSlices(
      numbers,
      async (slice) => {
        most.push(slice.length)
        return slice
      },
      (one) => {
        described.set(turn, (described.get(turn) ?? 0) + 1)
        return one
      },
    )
  const lists = await Promise.all([list(), list(), list()])
  isOver = true
  expect(lists).toEqual([numbers, numbers, numbers])
  expect(Math.max(...described.values())).toBe(SLICE)
  expect(described.size).toBe(3 * 5)
  expect(Math.max(...most)).toBe(SLICE)
})
