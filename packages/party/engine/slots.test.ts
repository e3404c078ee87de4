/** Tests how many actions run at once, over all and for one chain. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createSlots, type Slots } from './slots.ts'

let nowMs: number
let freed: number
let slots: Slots
const ends: (() => void)[] = []
beforeEach(() => {
  nowMs = 0
  freed = 0
  ends.length = 0
  slots = createSlots(
    () => {
      freed += 1
    },
    () => nowMs,
  )
})

const run = (chain: string, count: number) => {
  for (let n = 0; n < count; n += 1) slots.run(chain, () => new Promise((resolve) => ends.push(resolve)))
}
const endOne = async () => {
  ends.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
}
const all = () => true

describe('slots', () => {
  test('of one chain are fewer than all', () => {
    expect(slots.query()).toMatchObject({ limit: 64, perChain: 48, inProgress: new Map() })
    run('slow', 48)
    expect(slots.query()).toMatchObject({ limit: 16, perChain: 48, inProgress: new Map([['slow', 48]]) })
  })

  test('that were all taken, or all of a chain, are reported when one is free', async () => {
    run('slow', 47)
    await endOne()
    expect(freed).toBe(0)
    run('slow', 2)
    await endOne()
    expect(freed).toBe(1)
    run('quick', 17)
    await endOne()
    expect(freed).toBe(2)
    expect(slots.query()).toMatchObject({
      limit: 1,
      inProgress: new Map([
        ['slow', 46],
        ['quick', 17],
      ]),
    })
  })

  test('of a full chain count from the moment when the last one was taken', async () => {
    run('slow', 47)
    nowMs = 100
    expect(slots.fullMs(all)).toBe(0)
    run('slow', 1)
    nowMs = 700
    expect(slots.fullMs(all)).toBe(600)
    expect(slots.fullMs((chain) => chain !== 'slow')).toBe(0)
    await endOne()
    expect(slots.fullMs(all)).toBe(0)
  })

  test('are idle when all has ended', async () => {
    run('slow', 2)
    let idle = false
    const waiting = slots.idle().then(() => {
      idle = true
    })
    await endOne()
    expect([idle, slots.isIdle]).toEqual([false, false])
    await endOne()
    await waiting
    expect([idle, slots.isIdle]).toEqual([true, true])
  })
})
