import { expect, test } from 'vitest'
import { cutSlowReaders } from './slow-readers.ts'

function streamsOf(sizes: readonly number[]) {
  const cut = new Set<number>()
  const streams = sizes.map((kilobytes, index) => ({ buffered: kilobytes * 1024, cut: () => void cut.add(index) }))
  return { streams, cut }
}

test('streams that hold too much together lose those whose clients do not read, and no other', () => {
  const { streams, cut } = streamsOf([...Array<number>(300).fill(250), 10, 32])
  cutSlowReaders(streams)
  expect([...cut]).toEqual(Array.from({ length: 300 }, (_, index) => index))
})

test('a few slow readers are left alone', () => {
  const { streams, cut } = streamsOf(Array<number>(200).fill(250))
  cutSlowReaders(streams)
  expect(cut.size).toBe(0)
})
