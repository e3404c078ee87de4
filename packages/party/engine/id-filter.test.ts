/** Tests that the filter never denies a known id, and that its memory is bounded. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createIdFilter } from './id-filter.ts'

const ids = (count: number) => Array.from({ length: count }, () => randomBytes(32).toString('hex'))

test('never denies an id that was added, by its end or in full, also when it is full', () => {
  const filter = createIdFilter(2_000)
  const known = [...ids(1_998), '', 'a short id']
  for (const id of known) {
    expect(filter.isFull).toBe(false)
    filter.add(id.slice(-16))
  }
  expect(filter.isFull).toBe(true)
  expect(known.every((id) => filter.mayHave(id))).toBe(true)
})

test('confirms hardly any other id, also of ids that differ by a number only', () => {
  const filter = createIdFilter(50_000)
  for (const id of ids(25_000)) filter.add(id)
  for (let n = 0; n < 25_000; n += 1) filter.add(`${'0'.repeat(30)}:${n}`)
  const others = [...ids(50_000), ...Array.from({ length: 50_000 }, (_, n) => `${'0'.repeat(30)}:${n + 25_000}`)]
  expect(others.filter((id) => filter.mayHave(id)).length).toBeLessThan(20)
})

test('takes no more memory for millions of ids than for one million, and still denies most others', () => {
  const before = process.memoryUsage().arrayBuffers
  const filter = createIdFilter(20_000_000)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * 2 ** 20)
  const known = Array.from({ length: 2_000_000 }, (_, n) => n.toString(36).padStart(16, 'x'))
  for (const id of known) filter.add(id)
  expect(filter.isFull).toBe(false)
  expect(known.every((id) => filter.mayHave(id))).toBe(true)
  const passing = ids(10_000).filter((id) => filter.mayHave(id)).length
  expect(passing).toBeLessThan(200)
})

test('ids that are added again do not count', () => {
  const filter = createIdFilter(100)
  for (let times = 0; times < 10; times += 1) for (let n = 0; n < 20; n += 1) filter.add(`id ${n}`)
  expect(filter.isFull).toBe(false)
})
